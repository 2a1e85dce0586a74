/**
 * Measures the processor time of the dearest requests and frames of routers that are within the limits, and fails if others wait for more than 60 ms for one of
 * them: `npm run bench:input`. The tests of security count the steps of the same work, which no machine makes longer, but which do not contain what the engine
 * does by itself. On an idle machine, it takes a few minutes.
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
