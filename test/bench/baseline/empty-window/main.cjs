/** The least Electron app there is: one window with one word. What the app's own start is compared with. */
const { app, BrowserWindow } = require('electron');

if (process.env.CELLWRIGHT_PROFILE) app.setPath('userData', process.env.CELLWRIGHT_PROFILE);
app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1360, height: 900 });
  void window.loadURL('data:text/html,<main>empty</main>');
});
app.on('window-all-closed', () => app.quit());
