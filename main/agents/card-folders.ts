/** Which folder an artifact's address in a card means: `artifact://<agent's id>/…` lies in the agent's own, others in a notebook's, by its name. */
import path from 'node:path';
import { artifactFolder } from '../artifacts/artifact-folder.ts';

/** As `artifactFolder` names them. Nothing else leads into the folder of all artifacts. */
const FOLDER_NAME = /^[0-9a-f]{24}$/;

export function agentArtifacts(profile: string, agentId: string): string {
  return artifactFolder(allArtifacts(profile), `agent:${agentId}`);
}

/** Null for what is neither. An agent may have named itself like a folder; then its own is meant. */
export function cardFolder(profile: string, host: string, isAgent: (id: string) => boolean): string | null {
  if (isAgent(host)) return agentArtifacts(profile, host);
  return FOLDER_NAME.test(host) ? path.join(allArtifacts(profile), host) : null;
}

function allArtifacts(profile: string): string {
  return path.join(profile, 'artifacts');
}
