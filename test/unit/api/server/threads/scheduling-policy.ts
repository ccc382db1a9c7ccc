/** Returns the scheduling policy of a thread from its `stat` file (proc(5), field 41; 0 SCHED_OTHER, 3 SCHED_BATCH). */
export function schedulingPolicy(stat: string): number {
  // The name, field 2, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[41 - 3])
}
