/** Fuel per unit of gas of hashes and precompiles: 65,000 gas of these take a millisecond, as do 2^17 jumps of code. */
const FUEL_PER_GAS: u64 = 2
const MOST_FUEL: u64 = 1 << 30
/** Fuel that hashes and precompiles used and that is not yet taken from the fuel of the run. */
let spentFuel: i32 = 0

/** Counts the work of a hash or a precompile, which has no jumps to count. */
export function spendFuel(forGas: u64): void {
  spentFuel = i32(min(u64(spentFuel) + min(forGas, MOST_FUEL) * FUEL_PER_GAS, MOST_FUEL))
}

export function takeSpentFuel(): i32 {
  const fuel = spentFuel
  spentFuel = 0
  return fuel
}
