/**
 * Which variables of our own environment a kernel may see. Pure. Notebooks are shared and agents run code in kernels, so keys that the
 * person gave to their other programs stay out. The rules are tried in order for each variable, and the first that speaks decides.
 */

interface Rule {
  why: string;
  decides: 'drop' | 'keep';
  matches: (name: string, value: string) => boolean;
}

/** API keys of model and cloud services by their documented names. The deny list: no later rule can bring one of these back. */
const DENIED_NAMES = new Set(
  `AI21_API_KEY ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_OAUTH_TOKEN AWS_ACCESS_KEY_ID AWS_BEARER_TOKEN_BEDROCK
   AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET AZURE_OPENAI_API_KEY BRAVE_API_KEY CEREBRAS_API_KEY CLAUDE_API_KEY
   CLAUDE_CODE_OAUTH_TOKEN COHERE_API_KEY COPILOT_GITHUB_TOKEN DEEPSEEK_API_KEY EXA_API_KEY FIREWORKS_API_KEY GEMINI_API_KEY GH_TOKEN
   GITHUB_TOKEN GITLAB_TOKEN GOOGLE_API_KEY GOOGLE_APPLICATION_CREDENTIALS GROQ_API_KEY HF_TOKEN HUGGINGFACE_API_KEY HUGGING_FACE_HUB_TOKEN
   KAGGLE_KEY MINIMAX_API_KEY MISTRAL_API_KEY MOONSHOT_API_KEY NODE_AUTH_TOKEN NPM_TOKEN NVIDIA_API_KEY OLLAMA_API_KEY OPENAI_API_KEY
   OPENROUTER_API_KEY PERPLEXITY_API_KEY PYPI_TOKEN REPLICATE_API_TOKEN SLACK_BOT_TOKEN TAVILY_API_KEY TOGETHER_API_KEY TWINE_PASSWORD
   VERCEL_TOKEN VOYAGE_API_KEY WANDB_API_KEY XAI_API_KEY ZAI_API_KEY`.split(/\s+/),
);

/** Values in the form that a service gives its keys, whatever the variable is called. */
const KEY_VALUE =
  /^(sk-[\w-]{16,}|sk_(live|test)_\w{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|A(KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,}|hf_\w{20,}|npm_\w{30,}|pypi-[\w-]{30,}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+)$/;

/** What a program or a notebook needs to find its files, talk to the person's desktop and use the machine. */
const ALLOWED_NAMES = new Set(
  `ALL_PROXY APPDATA BROWSER COLORTERM COMPUTERNAME COMSPEC CURL_CA_BUNDLE DBUS_SESSION_BUS_ADDRESS DISPLAY EDITOR FTP_PROXY HOME HOMEDRIVE
   HOMEPATH HOSTNAME HTTP_PROXY HTTPS_PROXY JAVA_HOME KUBECONFIG LANG LANGUAGE LD_LIBRARY_PATH LOCALAPPDATA LOGNAME MANPATH NO_PROXY OS PAGER
   PATH PATHEXT PROGRAMDATA PROGRAMFILES REQUESTS_CA_BUNDLE SHELL SPARK_HOME SSH_AUTH_SOCK SSL_CERT_DIR SSL_CERT_FILE SYSTEMDRIVE
   SYSTEMROOT TEMP TERM TMP TMPDIR TOKENIZERS_PARALLELISM TZ USER USERDOMAIN USERNAME USERPROFILE VISUAL WAYLAND_DISPLAY WINDIR XAUTHORITY`.split(
    /\s+/,
  ),
);

const ALLOWED_PREFIXES = ['LC_', 'XDG_'];

/** Words that a name has when its value is a secret. `AUTH` alone is left out: it is in names of sockets and methods. */
const SECRET_WORD =
  /(^|_)(API_?KEYS?|APIKEY|ACCESS_?KEY|PRIVATE_?KEY|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PWD|CREDENTIALS?)(_|\d*$)/;

/** Variables for the program we run in (Electron, Node, npm, an AppImage). A kernel that starts one of these would be misled by them. */
const OUR_OWN =
  /^(ELECTRON_.*|NODE_OPTIONS|NODE_CHANNEL_.*|NODE_UNIQUE_ID|NPM_.*|INIT_CWD|CHROME_DESKTOP|APPDIR|APPIMAGE|OWD|ARGV0|CELLWRIGHT_.*)$/;

/** The folder we were started in; the kernel runs in its notebook's. */
const OUR_FOLDER = /^(OLD)?PWD$/;

/** Of another Python: a kernel's interpreter that finds them looks for its own library there and fails before its first line. */
const FOREIGN_PYTHON = /^(PYTHONHOME|PYTHONEXECUTABLE|__PYVENV_LAUNCHER__)$/;

const RULES: readonly Rule[] = [
  { why: 'the deny list: a known API key', decides: 'drop', matches: (name) => DENIED_NAMES.has(name) },
  { why: 'its value is an API key', decides: 'drop', matches: (_name, value) => KEY_VALUE.test(value.trim()) },
  { why: 'meant for the program we run in', decides: 'drop', matches: (name) => OUR_OWN.test(name) },
  { why: 'names a folder the kernel is not in', decides: 'drop', matches: (name) => OUR_FOLDER.test(name) },
  { why: 'breaks the interpreter', decides: 'drop', matches: (name) => FOREIGN_PYTHON.test(name) },
  { why: 'a kernel gets these from us or not at all', decides: 'drop', matches: (name) => name.startsWith('JPY_') },
  {
    why: 'the allow list: needed, whatever the next rule makes of its name',
    decides: 'keep',
    matches: (name) => ALLOWED_NAMES.has(name) || ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix)),
  },
  { why: 'its name says that it is a secret', decides: 'drop', matches: (name) => SECRET_WORD.test(name) },
  // A notebook is the person's own program: what they export for it (a data folder, CUDA_VISIBLE_DEVICES) has to arrive.
  { why: 'an ordinary variable', decides: 'keep', matches: () => true },
];

/** The rule that decides about a variable. Names are compared in upper case: Windows has one `Path`, and others write `http_proxy`. */
export function ruleFor(name: string, value: string): { keep: boolean; why: string } {
  const rule = RULES.find(({ matches }) => matches(name.toUpperCase(), value));
  return { keep: rule?.decides === 'keep', why: rule?.why ?? '' };
}

/** The variables that a kernel may see. */
export function filterEnvironment(host: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && ruleFor(name, value).keep) kept[name] = value;
  }
  return kept;
}
