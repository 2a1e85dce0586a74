/** The migrations in order. Written by `scripts/migration.ts`. */
import type { Migration } from '../migration.ts';
import { migration as m0001 } from './0001-initial.ts';
import { migration as m0002 } from './0002-router-names.ts';
import { migration as m0003 } from './0003-built-in-rows.ts';
import { migration as m0004 } from './0004-leases-and-cursors.ts';
import { migration as m0005 } from './0005-recorded-steps.ts';
import { migration as m0006 } from './0006-oidc.ts';
import { migration as m0007 } from './0007-tenants.ts';
import { migration as m0008 } from './0008-external-ids-without-case.ts';
import { migration as m0009 } from './0009-permissions.ts';
import { migration as m0010 } from './0010-enroll-by-token.ts';
import { migration as m0011 } from './0011-config-targets.ts';
import { migration as m0012 } from './0012-router-configs.ts';
import { migration as m0013 } from './0013-api-tokens.ts';
import { migration as m0014 } from './0014-grants-with-an-end.ts';
import { migration as m0015 } from './0015-policy-type-text.ts';
import { migration as m0016 } from './0016-audit.ts';
import { migration as m0017 } from './0017-idempotency.ts';
import { migration as m0018 } from './0018-policy-tests.ts';
import { migration as m0019 } from './0019-end-counts.ts';
import { migration as m0020 } from './0020-journal.ts';
import { migration as m0021 } from './0021-router-repairs.ts';

/** All migrations, in order. */
export const migrations: readonly Migration[] = [
  m0001,
  m0002,
  m0003,
  m0004,
  m0005,
  m0006,
  m0007,
  m0008,
  m0009,
  m0010,
  m0011,
  m0012,
  m0013,
  m0014,
  m0015,
  m0016,
  m0017,
  m0018,
  m0019,
  m0020,
  m0021,
];
