/**
 * Measures the processor time of the most expensive requests and router frames within the limits, and fails if one of them blocks others
 * for more than 60 ms: `npm run bench:input`. The security tests count the steps of the same work, which is independent of the machine, but
 * does not include the time that the engine itself needs. Takes a few minutes on an idle machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const files = ['cost-of-input', 'frames-of-routers'].map((name) => `test/security/${name}.test.ts`);

const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=1', ...files], {
  cwd: root,
  env: { ...process.env, COST: 'time' },
  stdio: 'inherit',
});
const [status] = await once(child, 'exit');
process.exitCode = status === 0 ? 0 : 1;
