/** The first height that only a release with the named upgrade may execute. */
export interface UpgradePlan {
  readonly name: string
  readonly height: number
}

/** Cosmovisor makes the name a folder, in lower case. */
const PLAN = /^([a-z0-9][a-z0-9._-]{0,63})@([1-9]\d{0,14})$/

export const UPGRADE_PLAN_RULE =
  'plans such as v2@100000: a name of at most 64 lower-case letters, digits and . _ -, then the height; each name ' +
  'and height once'

/** Parses `v2@100000`. Returns undefined for any other text. */
export function parseUpgradePlan(text: string): UpgradePlan | undefined {
  const [, name, height] = PLAN.exec(text) ?? []
  return name === undefined ? undefined : { name, height: Number(height) }
}

export function formatUpgradePlan({ name, height }: UpgradePlan): string {
  return `${name}@${height}`
}

/** Returns the plans in order of height; undefined if two share a name or a height. */
export function orderUpgradePlans(
  plans: readonly UpgradePlan[],
): readonly UpgradePlan[] | undefined {
  const names = new Set(plans.map(({ name }) => name))
  const heights = new Set(plans.map(({ height }) => height))
  if (names.size !== plans.length || heights.size !== plans.length) return undefined
  return [...plans].sort((a, b) => a.height - b.height)
}
