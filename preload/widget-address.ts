/** Addresses of the pages that show widgets: made by the window, read by main. Apart from the contract, whose schemas the window does without. */

/** The address of the page that shows one model, `output://<docId>/widget/<modelId>`. */
export function widgetAddress(docId: string, modelId: string): string {
  return `output://${docId}/widget/${encodeURIComponent(modelId)}`;
}

/** Null for anything that `widgetAddress` does not make. The document's id comes back in lower case, as every host of a URL does. */
export function readWidgetAddress(address: string): { docId: string; modelId: string } | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const [, kind, modelId, ...rest] = url.pathname.split('/');
  if (url.protocol !== 'output:' || !url.hostname || kind !== 'widget' || !modelId || rest.length > 0) return null;
  try {
    return { docId: url.hostname, modelId: decodeURIComponent(modelId) };
  } catch {
    return null;
  }
}
