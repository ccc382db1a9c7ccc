/** One unit of the denomination is 10^12 wei. */
export const WEI = 10n ** 12n
export const STAKING = '0x0000000000000000000000000000000000001005'
export const MODEL_UNBONDING = 100n
/** Account that receives burnt amounts in the model. */
export const BURNT = '0xburnt'
const MOST_PAID = 64
const MOST_OF_ONE = 7
const SLASHED = 20n
const POWER = 1_000_000n
const ONE = 10n ** 18n

export interface ModelValidator {
  operator: string
  key: string
  moniker: string
  tokens: bigint
  shares: bigint
  least: bigint
  rate: bigint
  maxRate: bigint
  maxChange: bigint
  updated: bigint
  jail: number
}

interface ModelUnbonding {
  delegator: string
  id: number
  amount: bigint
  time: bigint
  height: number
  isSlashed: boolean
}

export interface ModelOffence {
  readonly id: number
  readonly power: number
  readonly height: number
}

interface ModelState {
  /** Indexed by id - 1. */
  validators: ModelValidator[]
  /** Shares, by `delegator id`. */
  delegations: Map<string, bigint>
  queue: ModelUnbonding[]
  paid: number
  moves: {
    delegator: string
    source: number
    destination: number
    amount: bigint
    time: bigint
    height: number
  }[]
  /** Balances in wei, by lower-case address. */
  balances: Map<string, bigint>
}

export interface ModelCall {
  readonly name: string
  readonly args: readonly unknown[]
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

class Refused extends Error {}

function refuse(isRefused: boolean): void {
  if (isRefused) throw new Refused()
}

/** Reference implementation of the precompile: maps and bigints, with a copy of the state to revert to. */
export class StakingModel {
  state: ModelState
  time = 0n
  height = 0

  constructor(balances: ReadonlyMap<string, bigint>) {
    this.state = {
      validators: [],
      delegations: new Map(),
      queue: [],
      paid: 0,
      moves: [],
      balances: new Map(balances),
    }
  }

  /** Runs work that may fail. Returns false if it did, and then restores the state. */
  tryRun(work: () => void): boolean {
    const before = structuredClone(this.state)
    try {
      work()
      return true
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.state = before
      return false
    }
  }

  move(from: string, to: string, wei: bigint): void {
    const { balances } = this.state
    refuse((balances.get(from) ?? 0n) < wei)
    balances.set(from, (balances.get(from) ?? 0n) - wei)
    balances.set(to, (balances.get(to) ?? 0n) + wei)
  }

  beginBlock(time: bigint, offences: readonly ModelOffence[] = []): void {
    this.time = time
    this.height++
    // First slash all who voted, then what was redelegated from them, possibly to one another.
    const slashed = offences.filter((offence) => this.#slash(offence))
    for (const offence of slashed) this.#slashMoves(offence)
    const { queue } = this.state
    for (let n = 0; n < MOST_PAID; n++) {
      const entry = queue[this.state.paid]
      if (entry === undefined || entry.time > time) break
      const burnt = entry.isSlashed ? entry.amount / SLASHED : 0n
      this.move(STAKING, BURNT, burnt * WEI)
      this.move(STAKING, entry.delegator, (entry.amount - burnt) * WEI)
      this.state.paid++
    }
    this.state.moves = this.state.moves.filter((one) => one.time > time)
  }

  /** Takes a twentieth of the stake behind the votes of a height, once. Returns false if it was already taken. */
  #slash({ id, power, height }: ModelOffence): boolean {
    const validator = this.#validator(id)
    if (validator.jail === 2) return false
    validator.jail = 2
    const voting = BigInt(power) * POWER
    const burnt = least(voting, validator.tokens) / SLASHED
    validator.tokens -= burnt
    this.move(STAKING, BURNT, burnt * WEI)
    for (const entry of this.#waiting(id, height - 1)) entry.isSlashed = true
    return true
  }

  /** Takes the same from later redelegations. */
  #slashMoves({ id, height }: ModelOffence): void {
    const moves = this.state.moves.filter((one) => one.source === id && one.height >= height - 1)
    for (const { delegator, destination, amount, height: begun } of moves.reverse()) {
      const due = amount / SLASHED
      let rest = due
      const worth = this.worth(delegator, destination)
      if (worth > 0n && rest > 0n) rest -= this.#unbond(delegator, destination, least(worth, rest))
      for (const entry of this.#waiting(destination, begun).reverse()) {
        if (entry.delegator !== delegator) continue
        const taken = least(entry.amount, rest)
        entry.amount -= taken
        rest -= taken
      }
      this.move(STAKING, BURNT, (due - rest) * WEI)
    }
  }

  /** Returns the unpaid unbondings from a validator that began at this height or later. */
  #waiting(id: number, since: number): ModelUnbonding[] {
    const { queue, paid } = this.state
    return queue.slice(paid).filter((entry) => entry.id === id && entry.height >= since)
  }

  /** Executes one call of the precompile. @throws if it reverts */
  call(caller: string, wei: bigint, { name, args }: ModelCall): void {
    this.move(caller, STAKING, wei)
    if (name === 'delegate') this.#delegate(caller, wei, args)
    else if (name === 'createValidator') this.#create(caller, wei, args)
    else {
      refuse(wei !== 0n)
      if (name === 'undelegate') this.#undelegate(caller, args)
      else if (name === 'redelegate') this.#redelegate(caller, args)
      else if (name === 'editValidator') this.#edit(caller, args)
      else throw new Error(`${name} is not in the model`)
    }
  }

  #id(operator: unknown): number {
    const named = String(operator).toLowerCase()
    const index = this.state.validators.findIndex((one) => one.operator === named)
    refuse(index < 0)
    return index + 1
  }

  #validator(id: number): ModelValidator {
    return this.state.validators[id - 1] as ModelValidator
  }

  #judge(delegator: string, id: number): void {
    const validator = this.#validator(id)
    if (validator.operator !== delegator) return
    if (validator.jail !== 2) validator.jail = this.worth(delegator, id) < validator.least ? 1 : 0
  }

  shares(delegator: string, id: number): bigint {
    return this.state.delegations.get(`${delegator} ${id}`) ?? 0n
  }

  worth(delegator: string, id: number): bigint {
    const { tokens, shares } = this.#validator(id)
    return shares === 0n ? 0n : (this.shares(delegator, id) * tokens) / shares
  }

  #bond(delegator: string, id: number, amount: bigint): void {
    const validator = this.#validator(id)
    const { tokens, shares } = validator
    const bought = shares === 0n ? amount : tokens === 0n ? 0n : (amount * shares) / tokens
    refuse(bought === 0n)
    validator.tokens += amount
    validator.shares += bought
    this.state.delegations.set(`${delegator} ${id}`, this.shares(delegator, id) + bought)
    this.#judge(delegator, id)
  }

  #unbond(delegator: string, id: number, amount: bigint): bigint {
    const validator = this.#validator(id)
    const held = this.shares(delegator, id)
    const worth = this.worth(delegator, id)
    refuse(amount === 0n || worth < amount)
    const { tokens, shares } = validator
    const rounded = (amount * shares + tokens - 1n) / tokens
    const given = amount === worth || rounded > held ? held : rounded
    validator.tokens -= amount
    validator.shares -= given
    this.state.delegations.set(`${delegator} ${id}`, held - given)
    this.#judge(delegator, id)
    return amount
  }

  #amountOf(wei: bigint): bigint {
    refuse(wei === 0n || wei % WEI !== 0n)
    return wei / WEI
  }

  #delegate(caller: string, wei: bigint, [operator]: readonly unknown[]): void {
    this.#bond(caller, this.#id(operator), this.#amountOf(wei))
  }

  #undelegate(caller: string, [operator, amount]: readonly unknown[]): void {
    const id = this.#id(operator)
    this.#unbond(caller, id, amount as bigint)
    refuse(this.#waiting(id, 0).filter((one) => one.delegator === caller).length >= MOST_OF_ONE)
    const time = this.time + MODEL_UNBONDING
    const entry = { delegator: caller, id, amount: amount as bigint, time, height: this.height }
    this.state.queue.push({ ...entry, isSlashed: false })
  }

  #redelegate(caller: string, [from, to, amount]: readonly unknown[]): void {
    const source = this.#id(from)
    const destination = this.#id(to)
    refuse(source === destination)
    const isHop = this.state.moves.some(
      (one) => one.delegator === caller && one.destination === source,
    )
    refuse(isHop)
    this.#unbond(caller, source, amount as bigint)
    this.#bond(caller, destination, amount as bigint)
    const time = this.time + MODEL_UNBONDING
    const move = { delegator: caller, source, destination, amount: amount as bigint, time }
    this.state.moves.push({ ...move, height: this.height })
  }

  #create(caller: string, wei: bigint, args: readonly unknown[]): void {
    const [key, moniker, rateText, maxRateText, maxChangeText, least] = args
    const { validators } = this.state
    const amount = this.#amountOf(wei)
    const [rate, maxRate, maxChange] = [rateText, maxRateText, maxChangeText].map(parseRate)
    refuse(validators.some((one) => one.operator === caller || one.key === key))
    refuse((rate as bigint) > (maxRate as bigint) || (maxChange as bigint) > (maxRate as bigint))
    refuse((least as bigint) === 0n || amount < (least as bigint))
    refuse(moniker === '' || Buffer.byteLength(String(moniker)) > 70)
    validators.push({
      operator: caller,
      key: String(key),
      moniker: String(moniker),
      tokens: 0n,
      shares: 0n,
      least: least as bigint,
      rate: rate as bigint,
      maxRate: maxRate as bigint,
      maxChange: maxChange as bigint,
      updated: this.time,
      jail: 0,
    })
    this.#bond(caller, validators.length, amount)
  }

  #edit(caller: string, [moniker, rateText, least]: readonly unknown[]): void {
    const id = this.#id(caller)
    const validator = this.#validator(id)
    if (rateText !== '') {
      const rate = parseRate(rateText)
      refuse(this.time - validator.updated < 86_400n)
      refuse(rate > validator.maxRate || rate - validator.rate > validator.maxChange)
      validator.rate = rate
      validator.updated = this.time
    }
    if (least !== 0n) {
      refuse((least as bigint) <= validator.least)
      refuse(this.worth(caller, id) < (least as bigint))
      validator.least = least as bigint
    }
    refuse(Buffer.byteLength(String(moniker)) > 70)
    if (moniker !== '') validator.moniker = String(moniker)
  }
}

/** @throws if the text is not a valid rate */
function parseRate(text: unknown): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(String(text)) ?? []
  refuse(whole === undefined || String(text).length > 20)
  const rate = BigInt(`${whole}${fraction.padEnd(18, '0')}`)
  refuse(rate > ONE)
  return rate
}
