/**
 * The parts of a live document and what each tells the others. A change of cells, metadata or file may change the document's state, which is made
 * after them: nothing may change before all of them stand.
 */
import type * as Y from 'yjs';
import { DocumentCells } from './document-cells.ts';
import { DocumentEvents } from './document-events.ts';
import { DocumentMetadata } from './document-metadata.ts';
import type { DocumentParts } from './document-parts.ts';
import { DocumentSaving, type FilePlace } from './document-saving.ts';
import { DocumentState } from './document-state.ts';
import { OutsideChanges } from './outside/outside-changes.ts';
import { protectedNotice } from './save.ts';
import type { SaveWitness } from './unsaved.ts';

export interface DocumentWiring {
  events: DocumentEvents;
  place: FilePlace;
  metadata: DocumentMetadata;
  cells: DocumentCells;
  outside: OutsideChanges;
  state: DocumentState;
  saving: DocumentSaving;
}

/** `witness` is asked at each save for whoever wants to be told of it. */
export function wireDocument(parts: DocumentParts, witness: () => SaveWitness | null): DocumentWiring {
  const { ydoc, file, disk, path, realPath, readOnly, hasIds } = parts;
  const events = new DocumentEvents(parts.onError);
  const place: FilePlace = { file, opened: file, disk, path, realPath, readOnly, hasIds, isConvertedText: parts.origin === 'converted' };
  const metadata = new DocumentMetadata(
    () => place.file,
    () => {
      events.emit('touched', []);
      state.mayHaveChanged();
    },
  );
  const cells = cellsOf(parts, events, () => state.mayHaveChanged());
  const outside = outsideOf({ ydoc, events, place, metadata, cells }, () => state);
  const state: DocumentState = new DocumentState({ parts, place, cells, metadata, outside, onChange: () => events.emit('state') });
  const saving = new DocumentSaving({
    parts,
    place,
    cells,
    metadata,
    outside,
    title: () => state.title,
    isUnsaved: (except) => state.isUnsaved(except),
    witness,
    onState: () => state.hasChanged(),
    onWritten: (notes) => {
      state.written();
      for (const note of notes) state.note(note);
    },
  });
  ydoc.on('update', (update: Uint8Array, origin: unknown) => events.emit('update', update, origin));
  return { events, place, metadata, cells, outside, state, saving };
}

function cellsOf(parts: DocumentParts, events: DocumentEvents, onChange: () => void): DocumentCells {
  const { ydoc, records, fileKeys, newIds, hasIds, file } = parts;
  return new DocumentCells({
    ydoc,
    records,
    fileKeys,
    newIds,
    hasIds,
    style: file.style,
    onOutputs: (key, changes) => events.emit('outputs', key, changes),
    onReset: (key, how) => {
      events.emit('reset', key, how);
      events.emit('touched', [key]);
    },
    onFreshness: () => events.emit('freshness'),
    onSpelled: (key) => events.emit('spelled', key),
    onChange,
  });
}

interface OutsideParts extends Pick<DocumentWiring, 'events' | 'place' | 'metadata' | 'cells'> {
  ydoc: Y.Doc;
}

function outsideOf({ ydoc, events, place, metadata, cells }: OutsideParts, state: () => DocumentState): OutsideChanges {
  return new OutsideChanges({
    ydoc,
    cells,
    metadata,
    title: () => state().title,
    place: () => {
      const { path, disk, file, readOnly, isConvertedText } = place;
      return path === null || !disk || isConvertedText ? null : { path, file, disk, readOnly };
    },
    protection: (readOnly) => {
      place.readOnly = readOnly;
      state().setNotice(protectedNotice(state().title), readOnly);
    },
    verified: (disk) => {
      place.disk = disk;
    },
    adopt: ({ file, disk, realPath, readOnly, hasIds }) => {
      Object.assign(place, { file, opened: file, disk, realPath, readOnly, hasIds });
      metadata.compare();
    },
    moved: (path) => {
      Object.assign(place, { path, realPath: path });
      events.emit('state');
    },
    changed: () => state().hasChanged(),
    told: (notice) => {
      events.emit('touched', notice.outputs);
      events.emit('outside', notice);
    },
  });
}
