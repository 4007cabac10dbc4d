/**
 * Every setting: its type, its default, and how the command line and the environment override it. The published JSON schema
 * (`settings.schema.json`) is made from this table, and a test fails when the two differ.
 */
import * as z from 'zod';

export const settingsSchema = z.object({
  $schema: z.string().optional(),
  theme: z.enum(['system', 'light', 'dark', 'high-contrast']).default('system').describe('Colours of the window.'),
  folder: z.string().min(1).nullable().default(null).describe('Folder shown in the side bar. Null: where Cellwright was started.'),
  kernelTransport: z
    .enum(['auto', 'direct', 'gateway', 'shared-gateway'])
    .default('auto')
    .describe(
      'Who runs the kernels. direct: Cellwright itself. gateway: the Jupyter server of gatewayUrl. shared-gateway: one Jupyter server on ' +
        'this machine that all Cellwrights of this user share. auto: gateway when gatewayUrl is given, else direct.',
    ),
  gatewayUrl: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('Jupyter server, Kernel Gateway or Enterprise Gateway that runs the kernels. Null: this machine does.'),
  gatewayToken: z.string().min(1).nullable().default(null).describe('Token of that server, unless it is in its address.'),
  gatewayCertificate: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('File with a PEM certificate to trust for that server, such as its own self-signed one.'),
  sharedGatewayPython: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('Python with jupyter_server that starts the shared gateway. Null: one that has it is looked for, or an environment is made.'),
  spareKernel: z
    .enum(['agents', 'off'])
    .default('agents')
    .describe(
      'agents: while agents are connected, one kernel of this machine waits for their next session, which then needs no start. off: none.',
    ),
  pythonKernel: z
    .enum(['session', 'per-call'])
    .default('session')
    .describe(
      "Kernels of agents' python tool. session: one for each agent and folder, whose variables stay between calls. per-call: a fresh one for " +
        'each call, which is shut down after it.',
    ),
  shellEnvironment: z
    .enum(['auto', 'off'])
    .default('auto')
    .describe(
      'auto: started without a terminal, Cellwright asks your login shell for its variables, so that kernels are found and run as from a ' +
        'terminal. off: kernels get what the desktop gives.',
    ),
  autosave: z
    .enum(['off', 'afterDelay', 'onFocusChange'])
    .default('afterDelay')
    .describe(
      'When notebooks are saved without being asked. afterDelay: autosaveSeconds after the first unsaved change. onFocusChange: when the ' +
        'window loses the focus. off: never; what is unsaved survives a crash all the same.',
    ),
  autosaveSeconds: z.number().min(1).max(86_400).default(120).describe('Seconds between the first unsaved change and its autosave.'),
  artifactMaxDays: z
    .number()
    .min(0)
    .default(30)
    .describe('Large outputs kept beside notebooks are removed when they were not used for this many days. 0: never because of their age.'),
  artifactMaxGigabytes: z
    .number()
    .min(0)
    .default(10)
    .describe('Above this much, those that were not used for longest are removed first. 0: never because of their size.'),
  saveWidgetState: z
    .boolean()
    .default(false)
    .describe("Whether saving a notebook also writes the state of its kernel's widgets, so that they are shown without a kernel later."),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Least severe level that is written to the log.'),
});

export type Settings = z.infer<typeof settingsSchema>;
export type SettingName = Exclude<keyof Settings, '$schema'>;

/**
 * An override wins over the file and is never written back to it: the command line first, then the environment. A flag must not be one of
 * Chromium's own switches, which reads the same command line (`--log-level` takes numbers there).
 */
export const SETTING_OVERRIDES: Readonly<Record<SettingName, { flag: string; env: string }>> = {
  theme: { flag: '--theme', env: 'CELLWRIGHT_THEME' },
  folder: { flag: '--folder', env: 'CELLWRIGHT_FOLDER' },
  kernelTransport: { flag: '--kernel-transport', env: 'CELLWRIGHT_KERNEL_TRANSPORT' },
  gatewayUrl: { flag: '--gateway', env: 'CELLWRIGHT_GATEWAY_URL' },
  gatewayToken: { flag: '--gateway-token', env: 'CELLWRIGHT_GATEWAY_TOKEN' },
  gatewayCertificate: { flag: '--gateway-certificate', env: 'CELLWRIGHT_GATEWAY_CERTIFICATE' },
  sharedGatewayPython: { flag: '--shared-gateway-python', env: 'CELLWRIGHT_SHARED_GATEWAY_PYTHON' },
  spareKernel: { flag: '--spare-kernel', env: 'CELLWRIGHT_SPARE_KERNEL' },
  pythonKernel: { flag: '--python-kernel', env: 'CELLWRIGHT_PYTHON_KERNEL' },
  shellEnvironment: { flag: '--shell-environment', env: 'CELLWRIGHT_SHELL_ENVIRONMENT' },
  autosave: { flag: '--autosave', env: 'CELLWRIGHT_AUTOSAVE' },
  autosaveSeconds: { flag: '--autosave-seconds', env: 'CELLWRIGHT_AUTOSAVE_SECONDS' },
  artifactMaxDays: { flag: '--artifact-max-days', env: 'CELLWRIGHT_ARTIFACT_MAX_DAYS' },
  artifactMaxGigabytes: { flag: '--artifact-max-gigabytes', env: 'CELLWRIGHT_ARTIFACT_MAX_GIGABYTES' },
  saveWidgetState: { flag: '--save-widget-state', env: 'CELLWRIGHT_SAVE_WIDGET_STATE' },
  logLevel: { flag: '--log-detail', env: 'CELLWRIGHT_LOG_LEVEL' },
};

export const defaultSettings: Settings = settingsSchema.parse({});

/** A value that came as text, as whatever the setting is. */
function readAs(schema: z.ZodType, text: string): z.ZodSafeParseResult<unknown> {
  const asText = schema.safeParse(text);
  if (asText.success) return asText;
  return schema.safeParse(text === 'true' || text === 'false' ? text === 'true' : Number(text));
}

/** JSON schema of the settings file, for editors and for whoever writes one by hand. */
export function settingsJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input', target: 'draft-7' });
  return { ...schema, title: 'Cellwright settings', additionalProperties: true } as Record<string, unknown>;
}

export interface OverrideOutcome {
  overrides: Partial<Settings>;
  /** One sentence for each value that is not allowed; the setting keeps what the file says. */
  problems: string[];
}

/** Reads the overrides from command-line values (by flag) and the environment. */
export function settingOverrides(
  flags: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): OverrideOutcome {
  const overrides: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, { flag, env: variable }] of Object.entries(SETTING_OVERRIDES)) {
    const given = flags[flag] !== undefined ? { from: flag, value: flags[flag] } : { from: variable, value: env[variable] };
    if (given.value === undefined || given.value === '') continue;
    const schema = settingsSchema.shape[name as SettingName];
    const result = readAs(schema, given.value);
    if (result.success) overrides[name] = result.data;
    else problems.push(`${given.from} ${given.value} is not used: ${result.error.issues[0]?.message ?? 'not allowed'}.`);
  }
  return { overrides: overrides as Partial<Settings>, problems };
}
