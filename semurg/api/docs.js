"use strict";
const EXAMPLES = {
  memory_remember: {
    content: "Dana joined Acme as an engineer in January 2020.",
    facts: {
      entities: [{ name: "Dana", type: "Person" }, { name: "Acme", type: "Company" }],
      relations: [{ source: "Dana", target: "Acme", type: "WORKS_AT" }],
    },
    date: "2020-01-01",
    source: "docs page",
  },
  memory_recall: { subject: "Dana" },
  memory_relate: { from: "Dana", to: "Acme", type: "WORKS_AT" },
  memory_forget: { fact: { from: "Dana", to: "Acme", type: "WORKS_AT" } },
  memory_audit: { limit: 20 },
  token_create: { name: "reader", read_only: true, expires: "30d" },
  token_revoke: { token: "reader" },
};

const byId = (id) => document.getElementById(id);

function make(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function kindOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.type === "array") return `list of ${kindOf(schema.items || {})}`;
  return Array.isArray(schema.type) ? schema.type.join(" | ") : schema.type || "any";
}

function fieldsTable(schema) {
  const required = new Set(schema.required || []);
  const rows = Object.entries(schema.properties || {}).map(([name, field]) =>
    make("tr", {},
      make("td", {}, make("code", { textContent: name }), required.has(name) ? " (required)" : ""),
      make("td", { textContent: kindOf(field) }),
      make("td", { textContent: field.description || "" })));
  const head = make("tr", {}, ...["Field", "Type", "Meaning"].map((text) => make("th", { scope: "col", textContent: text })));
  return make("div", { className: "table" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

function tablesOf(name, schemas, seen) {
  if (seen.has(name)) return [];
  seen.add(name);
  const schema = schemas[name];
  const inner = Object.values(schema.properties || {}).flatMap((field) => {
    const ref = field.$ref || (field.items || {}).$ref;
    return ref ? tablesOf(ref.split("/").pop(), schemas, seen) : [];
  });
  return [make("h3", { textContent: name }), fieldsTable(schema), ...inner];
}

async function send(method, path, body, output) {
  const headers = {};
  if (byId("token").value) headers.Authorization = `Bearer ${byId("token").value.trim()}`;
  if (byId("scope").value) headers["X-Semurg-Scope"] = byId("scope").value;
  if (byId("user").value) headers["X-Semurg-User"] = byId("user").value;
  if (body !== null) headers["Content-Type"] = "application/json";
  output.replaceChildren("Waiting…");
  try {
    const reply = await fetch(path, { method, headers, body });
    const text = await reply.text();
    const isJson = (reply.headers.get("content-type") || "").startsWith("application/json");
    // Numbers are shown as they came: parsing and printing again could change a long one.
    const shown = isJson ? indent(text) : text;
    output.replaceChildren(
      make("p", { className: reply.ok ? "good" : "bad", textContent: `${reply.status} ${reply.statusText}` }),
      make("pre", { tabIndex: 0, textContent: shown }));
  } catch (error) {
    output.replaceChildren(make("p", { className: "bad", textContent: `No answer: ${error.message}` }));
  }
}

function indent(json) {
  let depth = 0;
  const pad = () => "\n" + "  ".repeat(depth);
  return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (token, at) => {
    const next = json[at + 1];
    if (token === "{" || token === "[") {
      if (next === "}" || next === "]") return token;
      depth += 1;
      return token + pad();
    }
    if (token === "}" || token === "]") {
      const before = json[at - 1];
      if (before === "{" || before === "[") return token;
      depth -= 1;
      return pad() + token;
    }
    if (token === ",") return token + pad();
    return token === ":" ? ": " : token;
  });
}

function card(path, method, operation, schemas) {
  const output = make("div", { role: "status" });
  const body = operation.requestBody && operation.requestBody.content["application/json"].schema;
  const parts = [make("p", { textContent: operation.description })];
  let input = null;
  if (body) {
    parts.push(...tablesOf(body.$ref.split("/").pop(), schemas, new Set()));
    input = make("textarea", { spellcheck: false, value: JSON.stringify(EXAMPLES[operation.operationId] || {}, null, 2) });
    parts.push(make("label", {}, "Body", input));
  }
  const button = make("button", { type: "button", textContent: "Send" });
  button.addEventListener("click", () => send(method.toUpperCase(), path, input && input.value, output));
  const summary = make("summary", {},
    make("span", { className: "method", textContent: method.toUpperCase() }),
    make("code", { textContent: path }), ` ${operation.summary}`);
  return make("details", { id: operation.operationId }, summary, ...parts, button, output);
}

async function show() {
  const description = await (await fetch("/openapi.json")).json();
  byId("about").textContent = `${description.info.description} Version ${description.info.version}.`;
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      byId("operations").append(card(path, method, operation, description.components.schemas));
    }
  }
}

show().catch((error) => { byId("about").textContent = `The description could not be read: ${error.message}`; });
