/** An entity of a test's network. */
export interface TestEntity {
  /** Given by the controller. */
  readonly id: string;
  /** As the test named it. */
  readonly name: string;
}

/** Whom a policy brings together: `#attribute`, `#all`, or the entities themselves. */
export type TestRoles = readonly (string | TestEntity)[];

/** As bodies of policies hold them. */
export const selectorsOf = (roles: TestRoles): string[] => roles.map((role) => (typeof role === 'string' ? role : `@${role.id}`));
