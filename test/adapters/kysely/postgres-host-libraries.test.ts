/** Every statement of a store, in transactions of the libraries of hosts: drivers differ in how they send values, and return them. */
import { describe } from 'node:test';
import { filterSuite } from '../../conformance/filter.suite.ts';
import { joining } from '../../conformance/storage/joining.ts';
import { storageSuite } from '../../conformance/storage.suite.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { librariesOnPostgres } from './host-libraries.ts';
import { anywhere, inHostTransactions } from './in-host-transactions.ts';

describe('transactions of libraries on PostgreSQL', needsPostgres, () => {
  for (const library of librariesOnPostgres) {
    storageSuite(library, joining);
    storageSuite(inHostTransactions(library), anywhere);
    filterSuite(inHostTransactions(library), { runs: 20 });
  }
});
