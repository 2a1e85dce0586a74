/** An entity of a test's network. */
export interface TestEntity {
  /** Given by the controller. */
  readonly id: string;
  /** The name that the test gave it. */
  readonly name: string;
}

/** Whom a policy brings together: `#attribute`, `#all`, or the entities themselves. */
export type TestRoles = readonly (string | TestEntity)[];

/** As in the bodies of policies. */
export const selectorsOf = (roles: TestRoles): string[] => roles.map((role) => (typeof role === 'string' ? role : `@${role.id}`));
