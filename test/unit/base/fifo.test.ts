import { expect, test } from 'vitest'
import { Fifo } from '../../../host/base/fifo.ts'
import { makeRandom, runSeed } from '../../support/random.ts'

const seed = runSeed()

test(`a FIFO queue returns items in the order of their arrival; seed ${seed}`, () => {
  const random = makeRandom(seed)
  const fifo = new Fifo<number>()
  const model: number[] = []
  for (let i = 0; i < 10_000; i++) {
    if (random() < 0.5) {
      fifo.push(i)
      model.push(i)
    } else {
      expect(fifo.shift()).toBe(model.shift())
    }
    expect(fifo.length).toBe(model.length)
  }
})
