/**
 * What a card shows that is too large for it: images, and whole texts of which it has the end. They lie in the agent's own artifact folder, so
 * that a card shows the same after its notebook was changed and after a restart. One content is kept once, however often it is shown.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { ArtifactStore } from '../artifacts/artifact-store.ts';
import { extensionFor } from '../execution/payloads.ts';

/** The address, as the window's protocol serves it; null when it could not be kept. */
type Address = string | null;

export class CardArtifacts {
  readonly #agentId: string;
  readonly #store: ArtifactStore;
  readonly #kept = new Map<string, Promise<Address>>();

  constructor(agentId: string, folder: string) {
    this.#agentId = agentId;
    this.#store = new ArtifactStore(folder);
  }

  /** `payload` is base64, or an SVG's text. */
  image(mime: string, payload: string): Promise<Address> {
    return this.#keep('payload', mime, Buffer.from(payload, mime === 'image/svg+xml' ? 'utf8' : 'base64'));
  }

  text(text: string): Promise<Address> {
    return this.#keep('stream', 'text/plain', Buffer.from(text));
  }

  #keep(kind: 'payload' | 'stream', mime: string, bytes: Buffer): Promise<Address> {
    const key = createHash('sha256').update(mime).update('\n').update(bytes).digest('base64');
    const known = this.#kept.get(key);
    if (known) return known;
    const address = this.#write(kind, mime, bytes);
    this.#kept.set(key, address);
    return address;
  }

  async #write(kind: 'payload' | 'stream', mime: string, bytes: Buffer): Promise<Address> {
    try {
      const { id, file } = await this.#store.allocate(kind, kind === 'stream' ? 'txt' : extensionFor(mime), { mime, source: {} });
      await writeFile(file, bytes, { flag: 'wx', mode: 0o600 });
      return `artifact://${this.#agentId}/${id}`;
    } catch {
      // A disk that is full costs the picture in the card, not the call.
      return null;
    }
  }
}
