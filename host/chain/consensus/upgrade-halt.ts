import type { UpgradePlan } from '../../base/upgrade-plan.ts'

/** An upgrade that this release does not contain. */
export interface UpgradeHalt {
  readonly plan: UpgradePlan
  /** Called once, when the block of its height is decided, which only the next release executes. */
  readonly onReached: () => void
}

/** Returns the message of Cosmos SDK, which tools of operators search for. */
export function upgradeNeeded({ name, height }: UpgradePlan): string {
  return `UPGRADE "${name}" NEEDED at height: ${height}: `
}

/** Returns the last height that this release may execute. */
export function lastHeightOf(upgrade: UpgradeHalt | undefined): number {
  return upgrade === undefined ? Number.POSITIVE_INFINITY : upgrade.plan.height - 1
}

/** Returns what a node waits for whose next block needs another release. */
export function awaitedUpgrade({ plan: { name, height } }: UpgradeHalt): string {
  return `the release with upgrade "${name}", which executes height ${height}`
}
