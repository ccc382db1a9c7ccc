import { renameSync, writeFileSync } from 'node:fs'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { formatUpgradePlan, orderUpgradePlans, type UpgradePlan } from '../../base/upgrade-plan.ts'
import { type UpgradeHalt, upgradeNeeded } from '../../chain/consensus/upgrade-halt.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Home } from '../home/home.ts'
import { RELEASE_UPGRADES } from '../release-upgrades.ts'

/**
 * Returns the plans of genesis.json and app.toml in order of height.
 * @throws CONFIG_INVALID if the two disagree
 */
export function upgradePlans(
  { upgrades = [] }: Pick<Genesis, 'upgrades'>,
  { upgradePlans: configured }: Pick<Config, 'upgradePlans'>,
): readonly UpgradePlan[] {
  const known = new Set(upgrades.map(formatUpgradePlan))
  const added = configured.filter((plan) => !known.has(formatUpgradePlan(plan)))
  const ordered = orderUpgradePlans([...upgrades, ...added])
  if (ordered !== undefined) return ordered
  throw new LockstepError(
    'CONFIG_INVALID',
    `upgrade-plans ${configured.map(formatUpgradePlan).join(', ')} contradict those of genesis.json: ` +
      upgrades.map(formatUpgradePlan).join(', '),
    { hint: 'every validator needs the same plans: keep those of genesis.json' },
  )
}

/**
 * Returns the next plan that this release does not contain; undefined if it contains all.
 * @param height of the latest executed block
 * @throws UPGRADE_NEEDED if the chain has passed such a plan
 */
export function nextUpgrade(
  plans: readonly UpgradePlan[],
  contained: readonly string[],
  height: number,
): UpgradePlan | undefined {
  const plan = plans.find(({ name }) => !contained.includes(name))
  if (plan === undefined || plan.height > height) return plan
  throw new LockstepError(
    'UPGRADE_NEEDED',
    `this release does not contain upgrade "${plan.name}" of height ${plan.height}, and the chain is at height ${height}`,
    { hint: 'start the release that contains it, or correct upgrade-plans in app.toml' },
  )
}

/** Writes the file that cosmovisor waits for. */
function writeUpgradeInfo(path: string, { name, height }: UpgradePlan): void {
  const temporary = `${path}.tmp`
  writeFileSync(temporary, `${JSON.stringify({ name, height, info: '' })}\n`, { flush: true })
  renameSync(temporary, path)
}

export interface AwaitedUpgradeOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly logger: Logger
  /** Height of the latest executed block. */
  readonly height: number
}

/** Returns where this node has to wait for another release; undefined if nowhere. */
export function awaitedUpgradeOf(options: AwaitedUpgradeOptions): UpgradeHalt | undefined {
  const { home, config, genesis, logger, height } = options
  const plan = nextUpgrade(upgradePlans(genesis, config), RELEASE_UPGRADES, height)
  if (plan === undefined) return undefined
  const path = home.data.upgradeInfo
  return {
    plan,
    onReached: () => {
      try {
        writeUpgradeInfo(path, plan)
      } catch (thrown) {
        logger.error('upgrade-info.json cannot be written: replace the release by hand', {
          path,
          error: messageOf(thrown),
        })
      }
      logger.error(upgradeNeeded(plan))
    },
  }
}

/** @throws CONFIG_INVALID under --dev, where no release is replaced at a height */
export function refuseUpgrade(upgrade: UpgradeHalt | undefined): void {
  if (upgrade === undefined) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `upgrade ${formatUpgradePlan(upgrade.plan)} is planned, but a development chain has no upgrades`,
    { hint: 'remove it from upgrade-plans, or start without --dev' },
  )
}
