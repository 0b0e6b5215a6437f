// Uses what programs in JavaScript use for parallel work, and prints `ok`.
const { Worker } = require("worker_threads");
const { execFileSync } = require("child_process");
const fs = require("fs");

execFileSync("/bin/echo", ["child"]);
fs.readFile(__filename, () => {
  const source = "require('worker_threads').parentPort.postMessage(new SharedArrayBuffer(1e6).byteLength)";
  new Worker(source, { eval: true }).on("message", () => console.log("ok"));
});
