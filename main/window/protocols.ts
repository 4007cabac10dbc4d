/**
 * Puts the answers behind our schemes. A handler that throws would leave its request hanging or show Electron's own error page, so each one
 * ends in an answer whatever happens.
 */
import type { Session } from 'electron';
import { readImageAddress } from '../../preload/image-address.ts';
import { readWidgetAddress } from '../../preload/widget-address.ts';
import { errorFields, type Log } from '../log/log.ts';
import { serveApp } from './app-protocol.ts';
import { serveArtifact } from './artifact-protocol.ts';
import { isFrameFont, serveFrameFont } from './frame-fonts.ts';
import { isFrameScript, serveFrameScript } from './frame-scripts.ts';
import { serveMarkdownImage } from './markdown-images.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import { serveOutput, serveWidgetPage } from './output-protocol.ts';
import { refusal } from './served-files.ts';

export function serveSchemes(
  session: Session,
  options: {
    rendererFolder: string;
    fontFolder: string;
    frameScriptFolder: string;
    notebooks: OpenNotebooks;
    /** The folder that an artifact’s address in an agent’s card means; null for none. */
    cardFolder: (host: string) => string | null;
    log: Log;
  },
): void {
  const { rendererFolder, fontFolder, frameScriptFolder, notebooks, cardFolder, log } = options;
  const find = (docId: string) => notebooks.findHost(docId);
  const serve = (scheme: string, answer: (request: Request) => Promise<Response>) =>
    session.protocol.handle(scheme, async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405);
      try {
        return await answer(request);
      } catch (error) {
        log.warn('protocol.failed', { scheme, ...errorFields(error) });
        return refusal(404);
      }
    });
  serve('app', (request) => serveApp(request.url, rendererFolder));
  serve('output', async (request) => {
    if (isFrameFont(request.url)) return serveFrameFont(request.url, fontFolder);
    if (isFrameScript(request.url)) return serveFrameScript(request.url, frameScriptFolder);
    const widget = readWidgetAddress(request.url);
    if (widget) return serveWidgetPage(request.url, widget.modelId, find(widget.docId)?.document);
    const image = readImageAddress(request.url);
    return image ? serveMarkdownImage(request, image, find(image.docId)?.document) : serveOutput(request, find);
  });
  serve('artifact', (request) => serveArtifact(request, find, cardFolder));
}
