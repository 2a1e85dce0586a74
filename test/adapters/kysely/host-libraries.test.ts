import { joining } from '../../conformance/storage/joining.ts';
import { storageSuite } from '../../conformance/storage.suite.ts';
import { librariesOnSqlite } from './host-libraries.ts';

for (const library of librariesOnSqlite) storageSuite(library, joining);
