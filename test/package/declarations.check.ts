/** What editors show to those who installed the package: the names and the sentences of the sources. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { entriesOf } from '../../scripts/build/reach.ts';
import { install, manifest, root } from './pack.ts';

/** Editors show no private members; those with symbols for names have other names in each program. */
const isShown = (symbol: ts.Symbol): boolean => /^\w+$/.test(symbol.name) && !symbol.getJsDocTags().some(({ name }) => name === 'internal');

/** What a module exports, and the members of each, with what is said of them. */
const said = (program: ts.Program, file: string): ReadonlyMap<string, string> => {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  assert.ok(source && module, file);
  const all = new Map<string, string>();
  const add = (name: string, symbol: ts.Symbol): void => {
    const tags = symbol.getJsDocTags(checker).map((tag) => [tag.name, ts.displayPartsToString(tag.text)].join(' '));
    all.set(name, [ts.displayPartsToString(symbol.getDocumentationComment(checker)), ...tags].join('\n'));
  };
  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (!isShown(symbol)) continue;
    add(exported.name, symbol);
    const isType = symbol.flags & ts.SymbolFlags.Type;
    const type = isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbolAtLocation(symbol, source);
    for (const member of type.getProperties().filter(isShown)) add(`${exported.name}.${member.name}`, member);
  }
  return all;
};

/** Inferred from a schema: the compiler prints its members without what is said of them. */
const INFERRED = /^RouterInterfaceReport\./;

test('every entry point exports what its source exports, and says the same of it and of its members', (t) => {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => readFileSync(file, 'utf8')).config;
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const dist = join(install(t, ['@types/node', ...Object.keys(manifest.peerDependencies)]), 'node_modules/overlay-controller/dist');
  const { types } = entriesOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const sources = types.map((path) => join(root, path.replace('.d.ts', '.ts')));
  const packed = types.map((path) => join(dist, path));
  const [written, shown] = [ts.createProgram(sources, options), ts.createProgram(packed, options)];
  let names = 0;
  for (const [i, path] of types.entries()) {
    const expected = said(written, sources[i] ?? '');
    const actual = said(shown, packed[i] ?? '');
    const lost = [...expected].filter(([name, text]) => actual.get(name) !== text && !INFERRED.test(name)).map(([name]) => name);
    assert.deepEqual(lost, [], path);
    assert.equal(actual.size, expected.size, path);
    names += expected.size;
  }
  t.diagnostic(`${names} names`);
});
