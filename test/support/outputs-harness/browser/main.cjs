/** The window's own browser with nothing but one page in it: what the outputs are tested in without main. */
const { app, BrowserWindow } = require('electron');

app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1000, height: 900, webPreferences: { sandbox: true, contextIsolation: true } });
  window.loadURL(process.env.OUTPUTS_PAGE ?? 'about:blank');
});
app.on('window-all-closed', () => app.quit());
