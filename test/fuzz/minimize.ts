import type { Scenario } from './scenario.ts'

const MOST_TRIALS = 600

/** Returns all lists of the scenario whose elements can be removed, each with a way to replace it. */
function listParts(scenario: Scenario): Part[] {
  const parts: Part[] = [
    {
      list: scenario.transactions,
      replace: (transactions) => ({ ...scenario, transactions }) as Scenario,
    },
    { list: scenario.accounts, replace: (accounts) => ({ ...scenario, accounts }) as Scenario },
  ]
  for (const [i, account] of scenario.accounts.entries()) {
    for (const field of ['program', 'storage'] as const) {
      parts.push({
        list: account[field],
        replace: (list) => ({
          ...scenario,
          accounts: scenario.accounts.with(i, { ...account, [field]: list }),
        }),
      })
    }
  }
  for (const [i, transaction] of scenario.transactions.entries()) {
    for (const field of ['program', 'accessList', 'authorizations'] as const) {
      parts.push({
        list: transaction[field],
        replace: (list) => ({
          ...scenario,
          transactions: scenario.transactions.with(i, { ...transaction, [field]: list }),
        }),
      })
    }
  }
  return parts
}

interface Part {
  readonly list: readonly unknown[]
  replace(list: readonly unknown[]): Scenario
}

/** Removes transactions, accounts and instructions, in ever shorter runs, as long as `isDifferent` returns true. */
export async function minimize(
  scenario: Scenario,
  isDifferent: (scenario: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  let smallest = scenario
  let trials = 0
  let hasShrunk = true
  while (hasShrunk && trials < MOST_TRIALS) {
    hasShrunk = false
    for (let i = 0; i < listParts(smallest).length; i++) {
      let run = (listParts(smallest)[i] as Part).list.length
      for (; run >= 1; run = run >> 1) {
        for (let at = 0; trials < MOST_TRIALS; ) {
          const part = listParts(smallest)[i]
          if (part === undefined || at + run > part.list.length) break
          const shorter = part.replace([...part.list.slice(0, at), ...part.list.slice(at + run)])
          trials++
          if (await isDifferent(shorter)) {
            smallest = shorter
            hasShrunk = true
          } else at += run
        }
      }
    }
  }
  return smallest
}
