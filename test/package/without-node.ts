/**
 * Preloaded by Node, takes away what other runtimes do not have: Node's modules and globals, and the conditions by which packages choose
 * code for Node. Prints at the end how much code was loaded.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const loaded = new Set<string>();

registerHooks({
  resolve(specifier, context, next) {
    if (isBuiltin(specifier)) throw new Error(`${context.parentURL} imports ${specifier}, which only Node has`);
    const conditions = [...context.conditions.filter((condition) => !condition.startsWith('node')), 'browser'];
    const resolved = next(specifier, { ...context, conditions });
    loaded.add(resolved.url);
    return resolved;
  },
});

const sizeOf = (urls: readonly string[]): string => {
  const code = Buffer.concat(urls.map((url) => readFileSync(fileURLToPath(url))));
  return `${urls.length} files, ${Math.round(code.length / 1024)} KiB, ${Math.round(gzipSync(code).length / 1024)} KiB gzipped`;
};

process.on('exit', () => {
  const [own, others] = [true, false].map((isOwn) => [...loaded].filter((url) => url.includes('/overlay-controller/dist/') === isOwn));
  console.log(`own code: ${sizeOf(own ?? [])}; dependencies: ${sizeOf(others ?? [])}`);
});

Object.assign(globalThis, { self: globalThis }); // which the web has, and Node has not
// `Buffer` has to stay: Node's own requests and responses are made of it.
for (const name of ['process', 'global', 'setImmediate', 'clearImmediate']) Reflect.deleteProperty(globalThis, name);
