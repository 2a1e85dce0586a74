import { identity, keptSecret } from '../../contract/api/kinds.ts';
import { keyNameOf } from '../../runtime/platform/secrets.ts';
import { KEY_CHECK, sealedFields } from '../../store/entities/sealed.ts';
import type { Row } from '../../store/storage/port.ts';
import { type BuiltIn, builtIn } from './built-in.ts';
import { refusedAt } from './lines.ts';
import { FORMER } from './reseal.ts';
import { kindsIn } from './row.ts';

/**
 * Checks that a network restored from a snapshot will open: built-in rows must not collide with its rows, and one key must unseal its
 * secrets.
 */
export class Openable {
  readonly #builtIn = new Set<BuiltIn>();
  /** For each built-in row, the line of another row with the same name. */
  readonly #namesakes = new Map<BuiltIn, number>();
  /** For each key, the first line with a secret that is sealed under it. */
  readonly #keys = new Map<string, number>();
  readonly #kept = new Map<string, Row>();
  #hasIdentities = false;
  #hasAdministrator = false;

  /** @throws SnapshotRefused */
  add(line: number, table: string, row: Row): void {
    for (const candidate of builtIn) {
      if (candidate.kind !== table || candidate.policy === 'offered') continue;
      if (candidate.id === row.id) this.#builtIn.add(candidate);
      else if ('name' in candidate.fields && candidate.fields.name === row.name) this.#namesakes.set(candidate, line);
    }
    for (const kind of kindsIn(table))
      for (const field of sealedFields(kind)) {
        const key = keyNameOf(String(row[field] ?? ''));
        if (key !== undefined && !this.#keys.has(key)) this.#keys.set(key, line);
      }
    if (table === keptSecret.kind && (row.id === KEY_CHECK || row.id === FORMER)) this.#kept.set(row.id, row);
    if (table !== identity.kind) return;
    this.#hasIdentities = true;
    this.#hasAdministrator ||= row.isDefaultAdmin === true;
  }

  /**
   * Checks the result after the last row.
   * @param line the last line of the snapshot
   * @throws SnapshotRefused
   */
  end(line: number): void {
    for (const [row, namesakeLine] of this.#namesakes)
      if (row.policy === 'fixed' || !this.#builtIn.has(row))
        throw refusedAt(namesakeLine, `the ${row.kind} of this name is built in, and has the id ${row.id}`);
    if (this.#hasIdentities && !this.#hasAdministrator) throw refusedAt(line, 'no identity is the default administrator');
    this.#checkKeys(line);
  }

  #checkKeys(line: number): void {
    const check = this.#kept.get(KEY_CHECK);
    const key = keyNameOf(String(check?.sealed ?? ''));
    if (this.#keys.size > 0 && key === undefined) throw refusedAt(line, `secrets are sealed, but ${KEY_CHECK} is missing`);
    // While the key is being replaced, the former keys are still valid.
    if (this.#kept.has(FORMER)) return;
    for (const [name, at] of this.#keys)
      if (name !== key) throw refusedAt(at, 'it is sealed under a different secret key than that of the network');
  }
}
