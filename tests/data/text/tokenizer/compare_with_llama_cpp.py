#!/usr/bin/env python3
"""The ids that llama.cpp gives for the demo model, beside those of `tokenizers` that the tests hold us to.

Usage: compare_with_llama_cpp.py MODEL.gguf GOLDEN.json TEXTS.json OUT.json
Needs: pip install xllamacpp (llama.cpp as a wheel; only its tokenizer is asked). Nothing is fetched at run time.

Writes how many texts have equal ids, and of the others the index and both lists.
"""
import importlib.metadata, json, sys, urllib.request
import xllamacpp

model, golden, texts, out = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.n_ctx, params.n_parallel, params.warmup = 256, 1, False
server = xllamacpp.Server(params)


def ids_of(text):
    body = json.dumps({"content": text, "add_special": True, "parse_special": True}).encode()
    request = urllib.request.Request(server.listening_address + "/tokenize", body, {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))["tokens"]


texts, right = json.load(open(texts)), json.load(open(golden))
different = []
for index, (text, ids) in enumerate(zip(texts, right)):
    found = ids_of(text)
    if found != ids:
        different.append({"index": index, "text": text, "tokenizers": ids, "llama_cpp": found})
result = {"xllamacpp": importlib.metadata.version("xllamacpp"), "texts": len(right), "equal": len(right) - len(different),
          "different": different}
with open(out, "w") as file:
    json.dump(result, file, indent=1, ensure_ascii=True)
    file.write("\n")
print(result["texts"], "texts,", result["equal"], "equal")
