import { GROUPS, type GroupName } from './command-row.ts'

export const GROUP_NAMES = Object.keys(GROUPS) as readonly GroupName[]

/** Returns the parent of a group: `query` for `query bank`. */
export function parentOf(group: GroupName): GroupName | undefined {
  const above = group.split(' ').slice(0, -1).join(' ')
  return GROUP_NAMES.find((name) => name === above)
}

/** Returns the last word of a group's name: its name under the parent. */
export function ownName(group: GroupName): string {
  return group.slice(group.lastIndexOf(' ') + 1)
}

function isCalled(group: GroupName, word: string | undefined): boolean {
  return ownName(group) === word || GROUPS[group].aliases.some((alias) => alias === word)
}

/** Returns the innermost group that the words begin with, and the remaining words. */
export function leadingGroup(words: readonly string[]): {
  readonly group: GroupName | undefined
  readonly rest: readonly string[]
} {
  let group: GroupName | undefined
  for (let taken = 0; ; taken++) {
    const inner = GROUP_NAMES.find(
      (name) => parentOf(name) === group && isCalled(name, words[taken]),
    )
    if (inner === undefined) return { group, rest: words.slice(taken) }
    group = inner
  }
}
