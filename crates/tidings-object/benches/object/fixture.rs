//! Objects like those of a busy cluster: pods of about 6.7 KB with different uids, hashes, addresses and times, config
//! maps, secrets and leases. The same number gives the same object.

/// A pseudo-random number generator (Steele, Lea and Flood, 2014).
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn hex(&mut self, digits: usize) -> String {
        let mut text = String::new();
        while text.len() < digits {
            text.push_str(&format!("{:016x}", self.next()));
        }
        text.truncate(digits);
        text
    }

    fn uid(&mut self) -> String {
        let hex = self.hex(32);
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    fn suffix(&mut self) -> String {
        (0..5).map(|_| b"bcdfghjklmnpqrstvwxz2456789"[self.below(27) as usize] as char).collect()
    }

    fn time(&mut self) -> String {
        let (day, hour, minute, second) =
            (1 + self.below(28), self.below(24), self.below(60), self.below(60));
        format!("2026-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z", 1 + self.below(9))
    }

    fn address(&mut self) -> String {
        format!("10.{}.{}.{}", self.below(200), self.below(256), 1 + self.below(250))
    }
}

const APPS: [&str; 12] = [
    "checkout",
    "cart",
    "catalog",
    "payments",
    "search",
    "gateway",
    "sessions",
    "ledger",
    "mailer",
    "reports",
    "inventory",
    "pricing",
];

/// A running pod of a deployment, as in a watch frame.
pub(crate) fn pod(number: u64) -> String {
    let mut random = SplitMix64(number);
    let app = random.of(&APPS);
    let hash = random.hex(10);
    let name = format!("{app}-{hash}-{}", random.suffix());
    let namespace = format!("{}-{}", random.of(&["shop", "data", "edge", "tools"]), random.below(50));
    let node = format!("node-{:04}.internal", random.below(2_000));
    let (created, started) = (random.time(), random.time());
    let metadata = pod_metadata(&mut random, &name, &namespace, app, &hash, &created);
    let spec = pod_spec(&mut random, app, &node);
    let status = pod_status(&mut random, app, &created, &started);
    format!(r#"{{"kind":"Pod","apiVersion":"v1","metadata":{metadata},"spec":{spec},"status":{status}}}"#)
}

fn pod_metadata(
    c: &mut SplitMix64,
    name: &str,
    namespace: &str,
    app: &str,
    hash: &str,
    created: &str,
) -> String {
    let (uid, owner, version) = (c.uid(), c.uid(), 10_000_000 + c.below(90_000_000));
    let (checksum, config, updated) = (c.hex(64), c.hex(40), c.time());
    let tier = c.of(&["frontend", "backend", "batch"]);
    let release = format!("v{}.{}.{}", 1 + c.below(4), c.below(30), c.below(10));
    format!(
        r#"{{"name":"{name}","generateName":"{app}-{hash}-","namespace":"{namespace}","uid":"{uid}","resourceVersion":"{version}","generation":1,"creationTimestamp":"{created}","labels":{{"app.kubernetes.io/instance":"{app}","app.kubernetes.io/name":"{app}","app.kubernetes.io/version":"{release}","pod-template-hash":"{hash}","tier":"{tier}"}},"annotations":{{"checksum/config":"{checksum}","kubectl.kubernetes.io/restartedAt":"{updated}","prometheus.io/path":"/metrics","prometheus.io/port":"9090","prometheus.io/scrape":"true","vault.example.com/config":"{config}"}},"ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"{app}-{hash}","uid":"{owner}","controller":true,"blockOwnerDeletion":true}}],"managedFields":[{{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"{created}","fieldsType":"FieldsV1","fieldsV1":{{"f:metadata":{{"f:annotations":{{".":{{}},"f:checksum/config":{{}},"f:prometheus.io/path":{{}},"f:prometheus.io/port":{{}},"f:prometheus.io/scrape":{{}}}},"f:generateName":{{}},"f:labels":{{".":{{}},"f:app.kubernetes.io/instance":{{}},"f:app.kubernetes.io/name":{{}},"f:app.kubernetes.io/version":{{}},"f:pod-template-hash":{{}},"f:tier":{{}}}},"f:ownerReferences":{{".":{{}},"k:{{\"uid\":\"{owner}\"}}":{{}}}}}},"f:spec":{{"f:containers":{{"k:{{\"name\":\"{app}\"}}":{{".":{{}},"f:env":{{".":{{}},"k:{{\"name\":\"LOG_LEVEL\"}}":{{".":{{}},"f:name":{{}},"f:value":{{}}}}}},"f:image":{{}},"f:imagePullPolicy":{{}},"f:livenessProbe":{{}},"f:name":{{}},"f:ports":{{}},"f:readinessProbe":{{}},"f:resources":{{}}}}}},"f:dnsPolicy":{{}},"f:restartPolicy":{{}},"f:schedulerName":{{}},"f:securityContext":{{}},"f:terminationGracePeriodSeconds":{{}}}}}}}},{{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"{updated}","fieldsType":"FieldsV1","fieldsV1":{{"f:status":{{"f:conditions":{{"k:{{\"type\":\"Ready\"}}":{{".":{{}},"f:lastTransitionTime":{{}},"f:status":{{}},"f:type":{{}}}}}},"f:containerStatuses":{{}},"f:hostIP":{{}},"f:phase":{{}},"f:podIP":{{}},"f:podIPs":{{}},"f:startTime":{{}}}}}},"subresource":"status"}}]}}"#
    )
}

fn pod_spec(c: &mut SplitMix64, app: &str, node: &str) -> String {
    let (token, digest, port) = (c.suffix(), c.hex(64), 8_000 + c.below(900));
    let (cpu, memory) = (c.of(&["100m", "250m", "500m", "1"]), c.of(&["128Mi", "256Mi", "512Mi", "1Gi"]));
    let (level, pool, dsn) = (c.of(&["info", "debug", "warn"]), 5 + c.below(60), c.hex(12));
    format!(
        r#"{{"volumes":[{{"name":"config","configMap":{{"name":"{app}-config","defaultMode":420}}}},{{"name":"tmp","emptyDir":{{}}}},{{"name":"kube-api-access-{token}","projected":{{"sources":[{{"serviceAccountToken":{{"expirationSeconds":3607,"path":"token"}}}},{{"configMap":{{"name":"kube-root-ca.crt","items":[{{"key":"ca.crt","path":"ca.crt"}}]}}}},{{"downwardAPI":{{"items":[{{"path":"namespace","fieldRef":{{"apiVersion":"v1","fieldPath":"metadata.namespace"}}}}]}}}}],"defaultMode":420}}}}],"containers":[{{"name":"{app}","image":"registry.example.com/{app}@sha256:{digest}","args":["--listen=:{port}","--config=/etc/{app}/config.yaml"],"ports":[{{"name":"http","containerPort":{port},"protocol":"TCP"}},{{"name":"metrics","containerPort":9090,"protocol":"TCP"}}],"env":[{{"name":"LOG_LEVEL","value":"{level}"}},{{"name":"DB_POOL","value":"{pool}"}},{{"name":"DB_DSN","value":"postgres://{app}@db-{dsn}.internal:5432/{app}"}},{{"name":"POD_IP","valueFrom":{{"fieldRef":{{"apiVersion":"v1","fieldPath":"status.podIP"}}}}}}],"resources":{{"limits":{{"cpu":"{cpu}","memory":"{memory}"}},"requests":{{"cpu":"{cpu}","memory":"{memory}"}}}},"volumeMounts":[{{"name":"config","mountPath":"/etc/{app}"}},{{"name":"tmp","mountPath":"/tmp"}},{{"name":"kube-api-access-{token}","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}}],"livenessProbe":{{"httpGet":{{"path":"/healthz","port":{port},"scheme":"HTTP"}},"initialDelaySeconds":10,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3}},"readinessProbe":{{"httpGet":{{"path":"/ready","port":{port},"scheme":"HTTP"}},"timeoutSeconds":1,"periodSeconds":5,"successThreshold":1,"failureThreshold":3}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"{app}","serviceAccount":"{app}","nodeName":"{node}","securityContext":{{"runAsNonRoot":true,"runAsUser":10001}},"schedulerName":"default-scheduler","tolerations":[{{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}},{{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"}}"#
    )
}

fn pod_status(c: &mut SplitMix64, app: &str, created: &str, started: &str) -> String {
    let (ready, host, ip) = (c.time(), c.address(), c.address());
    let (container, digest, restarts) = (c.hex(64), c.hex(64), c.below(4));
    format!(
        r#"{{"phase":"Running","conditions":[{{"type":"PodReadyToStartContainers","status":"True","lastProbeTime":null,"lastTransitionTime":"{started}"}},{{"type":"Initialized","status":"True","lastProbeTime":null,"lastTransitionTime":"{created}"}},{{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"{ready}"}},{{"type":"ContainersReady","status":"True","lastProbeTime":null,"lastTransitionTime":"{ready}"}},{{"type":"PodScheduled","status":"True","lastProbeTime":null,"lastTransitionTime":"{created}"}}],"hostIP":"{host}","hostIPs":[{{"ip":"{host}"}}],"podIP":"{ip}","podIPs":[{{"ip":"{ip}"}}],"startTime":"{created}","containerStatuses":[{{"name":"{app}","state":{{"running":{{"startedAt":"{started}"}}}},"lastState":{{}},"ready":true,"restartCount":{restarts},"image":"registry.example.com/{app}@sha256:{digest}","imageID":"registry.example.com/{app}@sha256:{digest}","containerID":"containerd://{container}","started":true}}],"qosClass":"Guaranteed"}}"#
    )
}

/// A config map with a few settings and one file.
#[allow(dead_code, reason = "each target uses some of them")]
pub(crate) fn config_map(number: u64) -> String {
    let mut c = SplitMix64(number);
    let (uid, created, version) = (c.uid(), c.time(), c.below(90_000_000));
    let lines: String =
        (0..30).map(|n| format!("upstream-{n} {} weight={}\\n", c.address(), c.below(9))).collect();
    format!(
        r#"{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"config-{number}","namespace":"shop","uid":"{uid}","resourceVersion":"{version}","creationTimestamp":"{created}","labels":{{"app":"gateway"}}}},"data":{{"log-level":"info","upstreams.conf":"{lines}","zone":"eu-1"}}}}"#
    )
}

/// A secret with a certificate and its key.
#[allow(dead_code, reason = "each target uses some of them")]
pub(crate) fn secret(number: u64) -> String {
    let mut c = SplitMix64(number);
    let (uid, created, version) = (c.uid(), c.time(), c.below(90_000_000));
    // Hexadecimal digits are valid base64 if their number is a multiple of four.
    let (certificate, key) = (c.hex(1_600), c.hex(2_240));
    format!(
        r#"{{"kind":"Secret","apiVersion":"v1","metadata":{{"name":"tls-{number}","namespace":"shop","uid":"{uid}","resourceVersion":"{version}","creationTimestamp":"{created}"}},"data":{{"tls.crt":"{certificate}","tls.key":"{key}"}},"type":"kubernetes.io/tls"}}"#
    )
}

/// A node's lease, renewed every ten seconds.
#[allow(dead_code, reason = "each target uses some of them")]
pub(crate) fn lease(number: u64) -> String {
    let mut c = SplitMix64(number);
    let (uid, owner, created, renewed, version) = (c.uid(), c.uid(), c.time(), c.time(), c.below(90_000_000));
    format!(
        r#"{{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{{"name":"node-{number}","namespace":"kube-node-lease","uid":"{uid}","resourceVersion":"{version}","creationTimestamp":"{created}","ownerReferences":[{{"apiVersion":"v1","kind":"Node","name":"node-{number}","uid":"{owner}"}}],"managedFields":[{{"manager":"kubelet","operation":"Update","apiVersion":"coordination.k8s.io/v1","time":"{renewed}","fieldsType":"FieldsV1","fieldsV1":{{"f:metadata":{{"f:ownerReferences":{{".":{{}},"k:{{\"uid\":\"{owner}\"}}":{{}}}}}},"f:spec":{{"f:holderIdentity":{{}},"f:leaseDurationSeconds":{{}},"f:renewTime":{{}}}}}}}}]}},"spec":{{"holderIdentity":"node-{number}","leaseDurationSeconds":40,"renewTime":"{}.000000Z"}}}}"#,
        renewed.trim_end_matches('Z')
    )
}
