/** Every tool that the MCP server has, in the order in which clients list them. */
import type { Tool } from '../tool.ts';
import { kernelTool } from './kernel.ts';
import { notebookTool } from './notebook.ts';
import { notebookReadTool } from './notebook-read.ts';
import { notebookRunTool } from './notebook-run.ts';
import { pythonTool } from './python.ts';
import { variablesTool } from './variables.ts';
import { viewOutputTool } from './view-output.ts';
import { waitTool } from './wait.ts';

export const TOOLS: readonly Tool[] = [
  notebookReadTool,
  notebookTool,
  notebookRunTool,
  pythonTool,
  variablesTool,
  kernelTool,
  waitTool,
  viewOutputTool,
];
