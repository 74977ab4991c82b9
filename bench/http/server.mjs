import { createServer } from "node:http";

createServer((request, response) => {
  response.writeHead(200, { "Content-Type": "text/plain", Connection: "close" });
  response.end(`hello ${request.url}`);
}).listen(Number(process.argv[2]), "127.0.0.1", () => console.log("READY"));
