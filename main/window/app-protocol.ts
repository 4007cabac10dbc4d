/** Answers under `app://cellwright/`: the window's own page from the folder it was built into. */
import { readFile } from 'node:fs/promises';
import { appFile, appHeaders } from './app-files.ts';
import { refusal } from './served-files.ts';

export async function serveApp(address: string, folder: string): Promise<Response> {
  const file = appFile(address, folder);
  const headers = file === null ? null : appHeaders(file);
  if (file === null || headers === null) return refusal(404);
  try {
    // Read whole: the largest is Monaco with a few megabytes, and an archive's files can't be streamed everywhere.
    return new Response(await readFile(file), { headers });
  } catch {
    return refusal(404);
  }
}
