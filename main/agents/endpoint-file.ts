/**
 * Where the running MCP server is, in a file of the profile that only its owner can read: address and token. The token stays the same over
 * starts, so that clients' configurations keep working; it is made anew when anybody else could have read it.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';

const endpointSchema = z.object({
  /** Empty while none runs. */
  url: z.string(),
  port: z.number().int().min(0).max(65_535),
  token: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  pid: z.number().int(),
  /** A window belongs to it. */
  window: z.boolean(),
  version: z.string(),
});

export type Endpoint = z.infer<typeof endpointSchema>;

export function endpointFile(profile: string): string {
  return path.join(profile, 'agents', 'endpoint.json');
}

/** Null when there is none that can be trusted. */
export async function readEndpoint(file: string): Promise<Endpoint | null> {
  try {
    const { mode, uid } = await stat(file);
    if (process.platform !== 'win32' && ((mode & 0o077) !== 0 || uid !== process.getuid?.())) return null;
    return endpointSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

export async function writeEndpoint(file: string, endpoint: Endpoint): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    // The process's mask can only take rights away, never add any; on systems without modes this does nothing.
    await handle.writeFile(`${JSON.stringify(endpoint, null, 1)}\n`);
  } finally {
    await handle.close();
  }
  await chmod(temporary, 0o600);
  await rename(temporary, file);
}

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * What a server answers to show that it has the token. Asked before the token is sent: another program may have got the port since.
 */
export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(`cellwright ${nonce}`).digest('base64url');
}
