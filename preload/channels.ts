/**
 * Channel names on Electron's IPC. Apart from the contract, because the preload script runs before every page and must not carry the
 * schemas' library with it.
 */
export const CALL_CHANNEL = 'cellwright:call';
export const POST_CHANNEL = 'cellwright:post';
export const EVENT_CHANNEL = 'cellwright:event';
/** Page to main, once for each message of events: a page that hangs stops saying it, and main stops sending. */
export const TAKEN_CHANNEL = 'cellwright:taken';
