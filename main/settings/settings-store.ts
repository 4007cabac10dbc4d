/**
 * The settings in use: the file's values under the overrides of this start. Only what the person changes is written, so a value given on
 * the command line for one start never ends up in the file.
 */
import { JsonFile } from './json-file.ts';
import { defaultSettings, type SettingName, type Settings, settingsSchema } from './settings-schema.ts';

export class SettingsStore {
  readonly #file: JsonFile<Settings>;
  readonly #overrides: Partial<Settings>;
  #stored: Settings = defaultSettings;
  #notice: string | null = null;

  private constructor(file: JsonFile<Settings>, overrides: Partial<Settings>) {
    this.#file = file;
    this.#overrides = { ...overrides };
  }

  static async open(file: string, overrides: Partial<Settings> = {}): Promise<SettingsStore> {
    // Unknown keys are kept: an older Cellwright must not erase what a newer one wrote.
    const store = new SettingsStore(new JsonFile(file, settingsSchema.loose() as typeof settingsSchema), overrides);
    const { value, notice } = await store.#file.read(defaultSettings);
    store.#stored = value;
    store.#notice = notice;
    return store;
  }

  get file(): string {
    return this.#file.file;
  }

  /** Why the file could not be used, for the person; null when it could. */
  get notice(): string | null {
    return this.#notice;
  }

  get<N extends SettingName>(name: N): Settings[N] {
    return this.#overrides[name] ?? this.#stored[name];
  }

  /** All of them, as they are now. */
  get current(): Settings {
    return { ...this.#stored, ...this.#overrides };
  }

  /** Takes effect at once; rejects when the file can't be written. */
  set<N extends SettingName>(name: N, value: Settings[N]): Promise<void> {
    delete this.#overrides[name];
    this.#stored = { ...this.#stored, [name]: value };
    return this.#file.write(this.#stored);
  }

  async settled(): Promise<void> {
    await this.#file.settled();
  }

  /** At the app's end: what is changed from now on is not written any more. */
  async end(): Promise<void> {
    await this.#file.end();
  }
}
