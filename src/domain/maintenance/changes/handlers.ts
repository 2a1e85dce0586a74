import { changes } from '../../../api/change-log.ts';
import { implement } from '../../../call/implement.ts';
import { followChanges } from './follow.ts';
import { listChanges } from './list.ts';

export const changeEntries = implement(changes, { list: listChanges, follow: followChanges });
