import { expect, test } from 'vitest'
import { readQuestion } from '../../../../host/wallet/signer/message.ts'

const REQUEST = { method: 'POST', path: '/v1/wallets', body: '{}', headers: {}, signatures: [] }

function question(names: { readonly appId?: string; readonly requestId?: string }): unknown {
  return {
    id: 1,
    kind: 'ask',
    asked: { appId: 'app', requestId: 'request', request: REQUEST, ...names },
  }
}

test.each(['a\0b', '\ud800', 'x\udc00'])(
  'the signer refuses the ambiguous name %j of an app or a request',
  (name) => {
    expect(() => readQuestion(question({ appId: name }))).toThrow(/names of its app and itself/)
    expect(() => readQuestion(question({ requestId: name }))).toThrow(/names of its app and itself/)
  },
)

test.each(['app', '__proto__', '\ufeffmark', '😀'])(
  'the signer accepts the name %j of an app or a request',
  (name) => {
    expect(readQuestion(question({ appId: name }))).toMatchObject({ asked: { appId: name } })
  },
)
