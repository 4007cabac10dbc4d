/**
 * The three schemes that this program serves itself. They are standard, so that each has origins and none of them is another's: an output
 * is always a stranger to the page that shows it. Must run before the app is ready.
 */
import { protocol } from 'electron';

export function registerSchemes(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
    // The page fetches large text from here; `corsEnabled` makes that depend on what the answer allows.
    { scheme: 'output', privileges: { standard: true, secure: true, supportFetchAPI: true, corsEnabled: true } },
    { scheme: 'artifact', privileges: { standard: true, secure: true, supportFetchAPI: true, corsEnabled: true, stream: true } },
  ]);
}
