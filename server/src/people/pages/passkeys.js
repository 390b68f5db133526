// Passkeys on the pages for people. A form with `data-passkey` asks the server for a challenge, the browser for its
// answer, and sends that back; what goes wrong is shown in the form's `output`.
'use strict'

const api = '/app/api'

async function send(path, body) {
  const headers = { 'x-postrider-app': '1' }
  const response = await fetch(
    api + path,
    body === undefined
      ? { method: 'POST', headers }
      : {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
  )
  const answer = await response.json()
  if (response.ok) return answer
  if (answer.code === 'fresh_proof_required') {
    location.assign(`/prove?next=${encodeURIComponent(location.pathname)}`)
    return new Promise(() => {})
  }
  throw new Error(answer.detail)
}

async function create({ options }) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  return credential.toJSON()
}

async function get({ options }) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  return credential.toJSON()
}

const ceremonies = {
  async register(form) {
    const name = new FormData(form).get('name')
    const credential = await create(await send('/passkeys/offer'))
    await send('/passkeys', { name, credential })
  },
  async 'sign-in'() {
    await send('/sign-in/passkey', { credential: await get(await send('/sign-in/passkey/begin')) })
  },
  async prove() {
    await send('/proof/passkey', { credential: await get(await send('/proof/passkey/begin')) })
  },
}

function explain(fault, { tooLong, known }) {
  if (fault.name === 'NotAllowedError') return tooLong
  if (fault.name === 'InvalidStateError') return known
  return fault.message
}

const supported =
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const output = form.querySelector('output')
  const button = form.querySelector('button')
  if (!supported) {
    button.disabled = true
    output.textContent = form.dataset.none
    continue
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    output.textContent = ''
    try {
      await ceremonies[form.dataset.passkey](form)
      location.assign(form.dataset.next)
    } catch (fault) {
      output.textContent = explain(fault, form.dataset)
      button.disabled = false
    }
  })
}
