/**
 * The application menu as a template. Its items send the names of the palette's commands to the page in front, which knows what they
 * mean there. The trap is the key that both would take: a menu must not catch undo while somebody types into a field.
 */
import type { MenuItemConstructorOptions } from 'electron';

export interface MenuOptions {
  platform: NodeJS.Platform;
  appName: string;
  /** Sends a command to the page in front. */
  send: (command: string) => void;
  newWindow: () => void;
  showLogs: () => void;
}

const separator: MenuItemConstructorOptions = { type: 'separator' };

export function menuTemplate({ platform, appName, send, newWindow, showLogs }: MenuOptions): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin';
  const item = (label: string, command: string, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    id: command,
    click: () => send(command),
    ...(accelerator ? { accelerator } : {}),
  });
  /** The key is shown, but the page handles it: whether it applies depends on where the cursor is. */
  const shown = (label: string, command: string, accelerator: string): MenuItemConstructorOptions => ({
    ...item(label, command, accelerator),
    registerAccelerator: false,
  });
  const file: MenuItemConstructorOptions = {
    label: '&File',
    submenu: [
      item('New Notebook', 'file.new', 'CmdOrCtrl+N'),
      { label: 'New Window', id: 'window.new', accelerator: 'CmdOrCtrl+Shift+N', click: newWindow },
      separator,
      item('Open…', 'file.open', 'CmdOrCtrl+O'),
      item('Open Folder…', 'file.openFolder'),
      separator,
      item('Save', 'file.save', 'CmdOrCtrl+S'),
      item('Save As…', 'file.saveAs', 'CmdOrCtrl+Shift+S'),
      item('Kept Versions…', 'file.keptVersions'),
      separator,
      item('Close Tab', 'file.close', 'CmdOrCtrl+W'),
      mac ? { role: 'close', label: 'Close Window', accelerator: 'Cmd+Shift+W' } : { role: 'quit', label: 'Quit', accelerator: 'Ctrl+Q' },
    ],
  };
  const edit: MenuItemConstructorOptions = {
    label: '&Edit',
    submenu: [
      shown('Undo', 'edit.undo', 'CmdOrCtrl+Z'),
      shown('Redo', 'edit.redo', mac ? 'Cmd+Shift+Z' : 'Ctrl+Y'),
      separator,
      { role: 'cut' },
      { role: 'copy' },
      { role: 'paste' },
      { role: 'selectAll' },
      separator,
      item('Insert Cell Above', 'cell.insertAbove'),
      item('Insert Cell Below', 'cell.insertBelow'),
      item('Delete Cell', 'cell.delete'),
      item('Move Cell Up', 'cell.moveUp'),
      item('Move Cell Down', 'cell.moveDown'),
      separator,
      item('Clear All Outputs', 'notebook.clearOutputs'),
    ],
  };
  const run: MenuItemConstructorOptions = {
    label: '&Run',
    submenu: [
      shown('Run Cell', 'run.cell', 'CmdOrCtrl+Enter'),
      shown('Run Cell and Advance', 'run.advance', 'Shift+Enter'),
      shown('Run Cell and Insert Below', 'run.insert', 'Alt+Enter'),
      separator,
      item('Run All', 'run.all'),
      item('Run All Above', 'run.above'),
      item('Run All Below', 'run.below'),
    ],
  };
  const kernel: MenuItemConstructorOptions = {
    label: '&Kernel',
    submenu: [
      item('Interrupt', 'kernel.interrupt'),
      item('Restart', 'kernel.restart'),
      item('Restart and Run All', 'kernel.restartAndRunAll'),
      item('Shut Down', 'kernel.shutdown'),
      separator,
      item('Choose Kernel…', 'kernel.choose'),
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: '&View',
    submenu: [
      shown('Command Palette…', 'view.palette', 'CmdOrCtrl+Shift+P'),
      shown('Side Bar', 'view.sideBar', 'CmdOrCtrl+B'),
      item('Files', 'view.files'),
      item('Outline', 'view.outline'),
      item('Agents', 'view.agents'),
      item('Connect an Agent…', 'agents.connect'),
      item('Line Numbers', 'view.lineNumbers'),
      separator,
      {
        label: 'Theme',
        submenu: [
          item('Follow the System', 'theme.system'),
          item('Light', 'theme.light'),
          item('Dark', 'theme.dark'),
          item('High Contrast', 'theme.highContrast'),
        ],
      },
      separator,
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { role: 'togglefullscreen' },
      separator,
      { role: 'reload', accelerator: 'CmdOrCtrl+Alt+R' },
      { role: 'toggleDevTools' },
    ],
  };
  const help: MenuItemConstructorOptions = {
    label: '&Help',
    role: 'help',
    submenu: [item('Start Page', 'view.start'), { label: 'Show Logs', id: 'help.logs', click: showLogs }],
  };
  const start: MenuItemConstructorOptions[] = mac ? [{ role: 'appMenu', label: appName }] : [];
  return [...start, file, edit, run, kernel, view, ...(mac ? [{ role: 'windowMenu' } as const] : []), help];
}

/** Every command that the menu sends, for the test that compares them with the palette's. */
export function sentCommands(template: readonly MenuItemConstructorOptions[]): string[] {
  return template.flatMap((entry) => {
    const inner = Array.isArray(entry.submenu) ? sentCommands(entry.submenu) : [];
    return entry.id && !['window.new', 'help.logs'].includes(entry.id) ? [entry.id, ...inner] : inner;
  });
}
