/**
 * The bridge: the only thing of Electron that a page can reach. It passes names and plain values and knows no call by name; main checks
 * every one of them. The page gets neither the event object nor a sender. Of a file it learns the path once a person has dropped it there.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { CALL_CHANNEL, EVENT_CHANNEL, POST_CHANNEL, TAKEN_CHANNEL } from './channels.ts';
import type { Bridge, EventName, Events } from './contract.ts';

const listeners = new Map<EventName, Set<(payload: never) => void>>();

ipcRenderer.on(EVENT_CHANNEL, (_event, events: [EventName, Events[EventName]][]) => {
  ipcRenderer.send(TAKEN_CHANNEL);
  for (const [name, payload] of events) for (const listener of [...(listeners.get(name) ?? [])]) listener(payload as never);
});

const bridge: Bridge = {
  call: (name, args) => ipcRenderer.invoke(CALL_CHANNEL, name, args),
  post: (name, payload) => ipcRenderer.send(POST_CHANNEL, name, payload),
  on: (name, listener) => {
    const set = listeners.get(name) ?? new Set();
    listeners.set(name, set.add(listener));
    return () => void set.delete(listener);
  },
  pathOfFile: (file) => webUtils.getPathForFile(file),
};

contextBridge.exposeInMainWorld('cellwright', bridge);
