/**
 * Commands of the window itself: files, tabs, side bar, palette and theme.
 */
import type { ThemeChoice } from '../../preload/contract.ts';
import type { App } from './app.ts';
import type { CommandId } from './command-ids.ts';
import type { Command } from './commands.ts';

export function windowCommands(app: App): Command[] {
  const { workspace, layout } = app;
  const open = () => workspace.active !== null;
  const withTab = (run: (tab: NonNullable<typeof workspace.active>) => void) => () => {
    if (workspace.active) run(workspace.active);
  };
  const beside = (by: number) => {
    workspace.activateBeside(by);
    workspace.active?.refocus();
  };
  const theme = (id: CommandId, title: string, choice: ThemeChoice): Command => ({
    id,
    title,
    group: 'Theme',
    run: () => app.theme.choose(choice),
  });
  return [
    { id: 'file.new', title: 'New notebook', group: 'File', run: () => void workspace.create(app.folder.get()) },
    { id: 'file.open', title: 'Open…', group: 'File', run: () => void workspace.openByDialog() },
    {
      id: 'file.openWithoutOutputs',
      title: 'Open without outputs…',
      group: 'File',
      run: () => void workspace.openByDialog({ withoutOutputs: true }),
    },
    { id: 'file.openFolder', title: 'Show another folder…', group: 'File', run: () => void app.chooseFolder() },
    { id: 'file.save', title: 'Save', group: 'File', enabled: open, run: withTab((tab) => void workspace.save(tab)) },
    { id: 'file.saveAs', title: 'Save as…', group: 'File', enabled: open, run: withTab((tab) => void workspace.saveAs(tab)) },
    { id: 'file.keptVersions', title: 'Kept versions…', group: 'File', run: () => void app.kept.show() },
    {
      id: 'file.normaliseLineEnds',
      title: 'Normalise line ends',
      group: 'File',
      enabled: () => (workspace.active?.client.document.path ?? null) !== null,
      run: withTab((tab) => void workspace.normaliseLineEnds(tab)),
    },
    { id: 'file.close', title: 'Close notebook', group: 'File', enabled: open, run: withTab((tab) => void workspace.close(tab)) },

    { id: 'view.palette', title: 'All commands…', group: 'View', run: () => app.overlay.set('commands'), listed: false },
    {
      id: 'view.sideBar',
      title: 'Show or hide the side bar',
      group: 'View',
      run: () =>
        layout.set((state) =>
          state.files || state.outline ? { ...state, files: false, outline: false } : { ...state, files: true, outline: true },
        ),
    },
    {
      id: 'view.files',
      title: 'Show or hide the files',
      group: 'View',
      run: () => layout.set((state) => ({ ...state, files: !state.files })),
    },
    {
      id: 'view.outline',
      title: 'Show or hide the outline',
      group: 'View',
      run: () => layout.set((state) => ({ ...state, outline: !state.outline })),
    },
    {
      id: 'view.agents',
      title: 'Show or hide the agents',
      group: 'View',
      run: () => layout.set((state) => ({ ...state, agents: !state.agents, agentsMet: true })),
    },
    { id: 'agents.connect', title: 'Connect an agent…', group: 'View', run: () => void app.agents.connecting.show() },
    {
      id: 'view.lineNumbers',
      title: 'Show or hide line numbers',
      group: 'View',
      run: () => layout.set((state) => ({ ...state, lineNumbers: !state.lineNumbers })),
    },
    { id: 'view.nextTab', title: 'Next notebook', group: 'View', enabled: open, run: () => beside(1) },
    { id: 'view.previousTab', title: 'Previous notebook', group: 'View', enabled: open, run: () => beside(-1) },
    { id: 'view.start', title: 'Start view', group: 'View', enabled: open, run: () => workspace.activate(null) },

    theme('theme.system', 'Theme of the system', 'system'),
    theme('theme.light', 'Light theme', 'light'),
    theme('theme.dark', 'Dark theme', 'dark'),
    theme('theme.highContrast', 'High contrast theme', 'high-contrast'),
  ];
}
