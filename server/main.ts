#!/usr/bin/env node
/**
 * The command `overlay-controller`, and `npm start`: a controller with its own HTTPS server, or a command for operators (`server/commands/`).
 */
import module from 'node:module';
import { setFlagsFromString } from 'node:v8';

// Same as `engines` in package.json. Older versions lack the imports below, and would print a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`error: overlay-controller needs Node 22.18 or later, this is ${process.versions.node}`);
  process.exit(1);
}

// V8's space for new objects stays as small as it begins: otherwise it has 64 MiB after the start, most of them resident and empty ever after.
setFlagsFromString('--semi-space-growth-factor=1');
// Node's compile cache lies in the system's temporary folder: later starts take half the time, and less memory.
module.enableCompileCache();
const [, , name = '-', ...rest] = process.argv;
if (name.startsWith('-')) {
  // SIGHUP makes the server reread its certificate (`listen.ts`). It must not end the server, not even during the start.
  process.on('SIGHUP', () => undefined);
  const [{ listen }, { start }] = await Promise.all([import('./listen.ts'), import('./start.ts')]);
  await start(listen);
} else {
  const [{ runCommand }, { sentenceOf }] = await Promise.all([import('./commands/index.ts'), import('./failure.ts')]);
  try {
    const said = await runCommand(name, rest, process.env);
    if (said !== '') console.log(said);
  } catch (error) {
    console.error(`error: ${sentenceOf(error)}`);
    process.exitCode = 1;
  }
}
