/**
 * The app's entry: reads the command line and wires the parts together. Two things must come before the app is ready, in this order: the
 * profile's folder, which the instance lock lies in, and the schemes.
 */
import { homedir } from 'node:os';
import path from 'node:path';
import { app, clipboard, Menu, session, shell } from 'electron';
import { startAgents } from './agents/app-agents.ts';
import { cardFolder } from './agents/card-folders.ts';
import { serverCommand, shellLine } from './agents/client-configurations.ts';
import { Autosave } from './documents/autosave.ts';
import { DocumentStore } from './documents/document-store.ts';
import { Journals } from './documents/journal/journals.ts';
import { DiskWatch } from './documents/outside/disk-watch.ts';
import { OPEN_FOLDER, OpenElsewhere } from './documents/outside/open-elsewhere.ts';
import { Validation } from './documents/validation.ts';
import { KernelTransport } from './execution/kernel-transport.ts';
import { jupyterRuntimeFolder } from './kernels/discovery/jupyter-paths.ts';
import { ShellEnvironment } from './kernels/discovery/shell-environment.ts';
import { configuredGateway, transportOf } from './kernels/gateway/configured-gateway.ts';
import { KernelManager } from './kernels/kernel-manager.ts';
import { errorFields } from './log/log.ts';
import { LogFile } from './log/log-file.ts';
import { NotebookMemory } from './settings/notebook-memory.ts';
import { RecentFiles } from './settings/recent-files.ts';
import { settingOverrides } from './settings/settings-schema.ts';
import { SettingsStore } from './settings/settings-store.ts';
import { agentCalls } from './window/agent-calls.ts';
import { feedAgents } from './window/agent-feed.ts';
import { appCalls, tabPosts } from './window/app-calls.ts';
import { cleanUpLater } from './window/clean-up.ts';
import { readCommandLine } from './window/command-line.ts';
import { conflictCalls } from './window/conflict-calls.ts';
import { documentCalls, documentPosts } from './window/document-calls.ts';
import { IpcRouter } from './window/ipc-router.ts';
import { keptCalls } from './window/kept-calls.ts';
import { kernelCalls } from './window/kernel-calls.ts';
import { logStrayErrors, shutDownBeforeExit, startFailed, takeInstanceLock } from './window/lifecycle.ts';
import { menuTemplate } from './window/menu.ts';
import { OpenNotebooks } from './window/open-notebooks.ts';
import { OutputCamera } from './window/output-camera.ts';
import { serveSchemes } from './window/protocols.ts';
import { recoveryCalls } from './window/recovery-calls.ts';
import { repairCalls } from './window/repair-calls.ts';
import { registerSchemes } from './window/schemes.ts';
import { secureAllContents, secureSession } from './window/secure-contents.ts';
import { startFolder } from './window/start-folder.ts';
import { lookNow } from './window/theme.ts';
import { startUtilityHost } from './window/utility-host.ts';
import { widgetCalls, widgetPosts } from './window/widget-calls.ts';
import { Windows } from './window/windows.ts';

const { env } = process;
if (env.CELLWRIGHT_PROFILE) app.setPath('userData', path.resolve(env.CELLWRIGHT_PROFILE));
const commandLine = readCommandLine(process.argv.slice(1), process.cwd(), { afterApp: process.defaultApp });
let openFiles = (files: string[]): void => {
  commandLine.files.push(...files);
};

registerSchemes();
app.on('open-file', (event, file) => {
  event.preventDefault();
  openFiles([file]);
});
if (takeInstanceLock(commandLine.files, (files) => openFiles(files))) void app.whenReady().then(start).catch(startFailed);
else app.exit(0);

async function start(): Promise<void> {
  const inProfile = (...names: string[]) => path.join(app.getPath('userData'), ...names);
  const built = (...names: string[]) => path.join(app.getAppPath(), 'dist', ...names);
  const home = homedir();

  const { overrides, problems } = settingOverrides(commandLine.flags, env);
  const settings = await SettingsStore.open(inProfile('settings.json'), overrides);
  const recent = await RecentFiles.open(inProfile('recent.json'));
  const memory = await NotebookMemory.open(inProfile('notebooks.json'));
  const log = new LogFile({ folder: inProfile('logs'), level: settings.get('logLevel') });
  logStrayErrors(log);
  log.info('app.started', { version: app.getVersion(), electron: process.versions.electron, platform: process.platform });
  const notices = settings.notice === null ? problems : [...problems, settings.notice];
  for (const notice of notices) log.warn('settings.problem', { notice });

  const kernels = new KernelManager({ spawnHost: () => startUtilityHost(built('main', 'host.cjs'), log), log });
  const { platform } = process;
  const environment = new ShellEnvironment({ ask: settings.get('shellEnvironment'), env, platform, log });
  const sources = { environment, gateway: () => configuredGateway(settings.current) };
  const transport = new KernelTransport({
    manager: kernels,
    isShared: () => transportOf(settings.current) === 'shared-gateway',
    python: () => settings.get('sharedGatewayPython'),
    log,
  });
  const journals = new Journals({ folder: inProfile('journals'), log });
  const autosave = new Autosave({ mode: () => settings.get('autosave'), delaySeconds: () => settings.get('autosaveSeconds'), log });
  app.on('browser-window-blur', () => autosave.focusLost());
  const disk = new DiskWatch((error) => log.warn('disk.look-failed', errorFields(error)));
  const validation = new Validation({ worker: built('main', 'validation-worker.cjs'), log });
  const elsewhere = new OpenElsewhere({ folder: path.join(jupyterRuntimeFolder(), OPEN_FOLDER), by: 'app', log });
  const store = new DocumentStore({ log, journals, autosave, disk, elsewhere, validation });
  const notebooks = new OpenNotebooks({
    store,
    kernels: transport,
    artifactsFolder: inProfile('artifacts'),
    home,
    ...sources,
    memory,
    saveWidgetState: () => settings.get('saveWidgetState'),
    log,
  });
  const programFolders = [app.getAppPath(), path.dirname(process.execPath)];
  const folder = startFolder({ cwd: process.cwd(), files: commandLine.files, programFolders, home });
  const preload = built('preload', 'preload.cjs');
  const camera = new OutputCamera({ notebooks, preload, look: () => lookNow(settings.get('theme')), log });
  const agents = await startAgents({
    profile: app.getPath('userData'),
    owner: notebooks,
    kernels: transport,
    keepsSpare: () => settings.get('spareKernel') === 'agents' && transportOf(settings.current) === 'direct',
    pythonKernel: () => settings.get('pythonKernel'),
    home,
    version: app.getVersion(),
    ...sources,
    defaultFolders: () => [settings.get('folder') ?? folder],
    imageWorker: built('main', 'image-worker.cjs'),
    viewer: camera,
    log,
  });
  const watch = agents.service.sessions;
  const security = { isTrusted: (docId: string) => notebooks.findHost(docId)?.document.trusted ?? false, log };
  secureSession(session.defaultSession, security);
  secureAllContents(security);
  serveSchemes(session.defaultSession, {
    rendererFolder: built('renderer'),
    fontFolder: built('fonts'),
    frameScriptFolder: built('frames'),
    notebooks,
    cardFolder: (host) => cardFolder(app.getPath('userData'), host, (id) => watch.agents().some((agent) => agent.id === id)),
    log,
  });

  const windows = new Windows({
    notebooks,
    agents: () => watch.runningPython(),
    preload,
    icon: built('icon.png'),
    stateFile: inProfile('window.json'),
    theme: settings.get('theme'),
    onLastClosed: () => camera.close(),
    log,
  });
  const { isPackaged } = app;
  const command = serverCommand({ isPackaged, platform: process.platform, appPath: app.getAppPath(), program: process.execPath });
  feedAgents(watch, () => windows.all());
  const router = new IpcRouter(
    {
      ...appCalls({
        version: app.getVersion(),
        platform: process.platform as 'linux' | 'darwin' | 'win32',
        home,
        startFolder: folder,
        agentCommand: shellLine(command),
        settings,
        recent,
        notices,
        notebooks,
        desktop: {
          openExternal: (url) => shell.openExternal(url),
          copyText: (text) => clipboard.writeText(text),
          setTheme: (theme) => windows.setTheme(theme),
        },
        log,
      }),
      ...documentCalls({ notebooks, recent, examples: { source: built('examples'), copies: inProfile('examples') }, log }),
      ...recoveryCalls({ store, journals, notebooks }),
      ...keptCalls({ store, journals, notebooks }),
      ...kernelCalls({ notebooks, ...sources }),
      ...agentCalls({
        watch,
        folder: home,
        connect: { command, folder: () => settings.get('folder') ?? folder, endpoint: agents.endpoint },
        copyText: (text) => clipboard.writeText(text),
      }),
      ...conflictCalls({ notebooks, disk }),
      ...repairCalls(),
      ...widgetCalls({ notebooks }),
    },
    { ...documentPosts({ notebooks, log }), ...tabPosts(), ...widgetPosts({ notebooks }) },
    log,
  );
  shutDownBeforeExit(async () => {
    log.info('app.ending');
    // First, since it saves the notebooks that only agents have: what is journaled after its save is what is left to restore.
    await agents.close();
    await journals.appEnds();
    await Promise.all([notebooks.end().then(() => memory.end()), transport.close(), settings.end(), recent.end(), windows.end()]);
    await log.flush();
  }, log);
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      menuTemplate({
        platform: process.platform,
        appName: app.getName(),
        send: (id) => windows.sendToFront('menu.command', { id }),
        newWindow: () => windows.open(),
        showLogs: () => shell.showItemInFolder(log.file),
      }),
    ),
  );
  await windows.start(router);
  openFiles = (files) => windows.openFiles(files);
  windows.open(commandLine.files);
  cleanUpLater(inProfile('artifacts'), settings, log);
}
