#!/usr/bin/env node
/**
 * Entry point of `overlay-controller` and `npm start`: starts a controller with its HTTPS server, or runs a command for operators
 * (`server/commands/`).
 */
import module from 'node:module';
import { setFlagsFromString } from 'node:v8';

// Same as `engines` in package.json. Older versions lack the features used below and would fail with a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`error: overlay-controller needs Node 22.18 or later, this is ${process.versions.node}`);
  process.exit(1);
}

// Keeps V8's young generation at its initial size: during the start it would grow to 64 MiB, most of which would stay resident but empty.
setFlagsFromString('--semi-space-growth-factor=1');
// The compile cache, in the system's temporary folder, halves the time of later starts and reduces their memory use.
module.enableCompileCache();
const [, , command, ...args] = process.argv;
if (command === undefined || command.startsWith('-')) {
  // SIGHUP makes the server reload its certificate (`listen.ts`). Without this handler, it would end a server that is still starting.
  process.on('SIGHUP', () => undefined);
  const [{ listen }, { start }] = await Promise.all([import('./listen.ts'), import('./start.ts')]);
  await start(listen);
} else {
  const [{ runCommand }, { sentenceOf }] = await Promise.all([import('./commands/index.ts'), import('./failure.ts')]);
  try {
    const { text, status } = await runCommand(command, args, process.env);
    if (text !== '') console.log(text);
    process.exitCode = status;
  } catch (error) {
    console.error(`error: ${sentenceOf(error)}`);
    process.exitCode = 1;
  }
}
