// record.mjs: vectors of a few texts by the reference (model.mjs), for the test of the product's embedder.
// usage: node record.mjs ../../packages/server/models/static-256-v1.bin > ../../packages/server/src/engines/embedder/fixtures/vectors.json
// vector: 256 float32, little endian, base64.
import { loadModel } from './model.mjs'
const TEXTS = [
  'how do I rotate an API key',
  'PostgreSQL connections are pooled; each worker holds at most 5 connections, and a connection is recycled after 300 seconds.',
  'export function parseHTTPHeaders(rawHeaders) { return rawHeaders.split("\\r\\n").map(parseHeader) }',
  'Zyxqwortle 4711 frobnicatedness Blauwal-Küstenstraße, naïve café',
  'the the the THE of',
  'a\u0301 Ωμέγα 2048 x',
]
const M = loadModel(process.argv[2])
console.log(JSON.stringify(TEXTS.map(text => ({ text, vector: Buffer.from(M.embed(text).buffer).toString('base64') })), null, 1))
