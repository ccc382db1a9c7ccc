/**
 * Names of the upgrade plans that this release contains. A release that changes rules at a planned height adds the
 * name of the plan; releases before it halt there.
 */
export const RELEASE_UPGRADES: readonly string[] = []
