import { expect, test } from 'vitest'
import { isJson, mergePayment } from '../../../../host/payments/gate/payment-body.ts'

const payment = { isValid: true, txHash: '0xab', payer: '0xcd' } as const
const MEMBER = '"payment":{"isValid":true,"txHash":"0xab"}'

test.each([
  ['{}', `{${MEMBER}}`],
  ['{"a":1.10}', `{"a":1.10,${MEMBER}}`],
  [' { "a" : "}" } \n', ` { "a" : "}" ,${MEMBER}} \n`],
  ['{"payment":"free","a":1}', `{"payment":{"isValid":true,"txHash":"0xab"},"a":1}`],
  ['[{}]', '[{}]'],
  ['null', 'null'],
  ['"{}"', '"{}"'],
  ['{', '{'],
  ['', ''],
])('a payment is added to the body %j, which becomes %j', (json, extended) => {
  expect(mergePayment(json, payment)).toBe(extended)
})

test.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['application/problem+json', true],
  ['Application/JSON', true],
  ['application/json-seq', false],
  ['text/json', false],
  ['text/html', false],
])('the content type %s is JSON: %s', (type, is) => {
  expect(isJson(type)).toBe(is)
})
