/** Every statement of a store, in transactions of the libraries of hosts. */
import { storageSuite } from '../../conformance/storage.suite.ts';
import { librariesOnSqlite } from './host-libraries.ts';
import { anywhere, inHostTransactions } from './in-host-transactions.ts';

/** Filters on numbers as texts, as in tags, and those that ignore case need functions of ours. */
const skip = [
  {
    test: 'texts in fields of any type, as tags are, are ordered by code point, not by locale or case',
    reason: 'libsql cannot define the functions of sqliteFunctions',
  },
];

for (const library of librariesOnSqlite) storageSuite({ ...inHostTransactions(library), skip }, anywhere);
