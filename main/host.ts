/**
 * Entry of the kernel host, the process that holds every kernel's sockets and all work on their messages. It owns nothing: main starts it, and
 * when it dies main starts another.
 */
import { AgentOutputService } from './execution/agents/output-service.ts';
import { RunService } from './execution/run-service.ts';
import { startHost } from './kernels/host/start-host.ts';
import { CommService } from './widgets/comm-service.ts';

const { endpoint, kernels, log } = startHost();
new RunService(endpoint, kernels, new AgentOutputService(endpoint, kernels, log), log);
new CommService(endpoint, kernels);
