/** What ends a call of an agent before or while it does its work, in words for the model: what happened, and what it can do now. */

/** Not known, or not any more. */
export class AgentNotFoundError extends Error {
  override readonly name = 'AgentNotFoundError';
  constructor(agentId: string) {
    super(`There is no agent session ${agentId}.`);
  }
}

/** A person or the policy said no. Nothing was done. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** A person stopped it. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  constructor() {
    super('A person stopped this call.');
  }
}

/** The call can't be carried out as it was asked for. Nothing was done. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
