{
  "targets": [
    {
      "target_name": "svc_probes",
      "sources": ["probes.c"],
      "cflags": ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
    }
  ]
}
