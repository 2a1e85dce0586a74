/** An entity of a test network. */
export interface TestEntity {
  /** The id that the controller assigned. */
  readonly id: string;
  /** The name given by the test. */
  readonly name: string;
}

/** The entities that a policy applies to: `#attribute`, `#all`, or individual entities. */
export type TestRoles = readonly (string | TestEntity)[];

/** Converts roles to the selectors in the body of a policy. */
export const selectorsOf = (roles: TestRoles): string[] => roles.map((role) => (typeof role === 'string' ? role : `@${role.id}`));
