/**
 * A client of Prisma as `prisma generate` writes it for a schema without models: its command-line tool needs a program from the tool's own
 * server. The client, its query compiler and the driver adapters are the published ones.
 */
import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaPg } from '@prisma/adapter-pg';
import { getPrismaClient } from '@prisma/client/runtime/client';
import type { PrismaTransaction } from '../../adapters/storage/prisma.ts';

/** What is used of a client. */
export interface PrismaClient extends PrismaTransaction {
  $transaction<T>(
    work: (transaction: PrismaTransaction) => Promise<T>,
    options?: { readonly timeout?: number; readonly maxWait?: number },
  ): Promise<T>;
  $disconnect(): Promise<void>;
}

type PrismaClientClass = new (options: { readonly adapter: PrismaPg | PrismaLibSql }) => PrismaClient;

type Provider = 'postgresql' | 'sqlite';

/** A specifier that is no literal: these modules have no types. */
const compilerOf = (provider: Provider, suffix: string) => import(`@prisma/client/runtime/query_compiler_fast_bg.${provider}.${suffix}`);

/** The global is in the types of browsers only. */
const { Module }: { readonly Module: new (bytes: Uint8Array) => WebAssembly.Module } = Reflect.get(globalThis, 'WebAssembly');

/** The class that the generated module exports as `PrismaClient`. */
export const prismaClientFor = (activeProvider: Provider): PrismaClientClass =>
  getPrismaClient({
    activeProvider,
    previewFeatures: [],
    clientVersion: '7.10.0',
    engineVersion: '0',
    inlineSchema: `datasource db {\n  provider = "${activeProvider}"\n}\n`,
    runtimeDataModel: { models: {}, enums: {}, types: {} },
    parameterizationSchema: { strings: [], graph: 'AAAA' },
    compilerWasm: {
      getRuntime: () => compilerOf(activeProvider, 'mjs'),
      getQueryCompilerWasmModule: async () => new Module(Buffer.from((await compilerOf(activeProvider, 'wasm-base64.mjs')).wasm, 'base64')),
      importName: './query_compiler_fast_bg.js',
    },
  }) as unknown as PrismaClientClass; // whose types follow from a schema

export const prismaOnPostgres = (connectionString: string): PrismaClient =>
  new (prismaClientFor('postgresql'))({ adapter: new PrismaPg({ connectionString }) });

export const prismaOnSqlite = (file: string): PrismaClient =>
  new (prismaClientFor('sqlite'))({ adapter: new PrismaLibSql({ url: `file:${file}` }) });
